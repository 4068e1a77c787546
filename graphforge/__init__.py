"""GraphForge: from occupations to verified training data for working agents.

The rooms below this package each do one thing and import only ``records`` (and, where
``docs/design/architecture.md`` says so, ``llm``); ``pipelines/`` wires them together.
"""

import os

__version__ = "0.1.0"

# Nobody's machine reports usage because of us, and no import may fetch anything. These are set
# before any third-party package of the line is imported, and an explicit choice of the user wins.
QUIET_ENVIRONMENT = {
    "DVC_NO_ANALYTICS": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "LITELLM_TELEMETRY": "False",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}
for _name, _value in QUIET_ENVIRONMENT.items():
    os.environ.setdefault(_name, _value)
