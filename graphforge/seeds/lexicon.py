"""The word evidence behind the labels, in one place: cues, weights, and how a cue matches a text.

A cue is a phrase over normalized text (``records.normalize``). ``reconcil*`` matches any word that begins so,
``a|b`` either word (``|`` joins words, never phrases), `` .. `` stands for up to four words between. A cue
counts once a text. The weights are ours: 4 names the pattern itself, 3 its usual verb with its usual object, 1 to
2 go with words that merely accompany it, and less than 0 with those that look like it and aren't.
"""

import re
from collections.abc import Mapping

from graphforge.records import ExecutionPattern, InputFamily

Cues = Mapping[str, float]

# Order matters only for ties: the more specific pattern stands first and wins.
PATTERN_CUES: Mapping[ExecutionPattern, Cues] = {
    "reconciliation": {
        "reconcil*": 5,
        "balanc* .. accounts|books|ledger|ledgers|cash|receipts|checks|entries|transactions": 4,
        "match* .. invoices|orders|records|statements|receipts|payments|entries": 3,
        "compar* .. invoices|receipts|ledger|ledgers|bills|vouchers": 3,
        "discrepanc*": 3,
        "bank statements": 1,
        "cross check*": 3,
        "verif* .. figures|postings|totals|calculations|balances|entries|invoices|transactions": 3,
        "differences between": 2,
    },
    "budgeting_and_allocation": {
        "budget*": 3,
        "allocat*": 3,
        "appropriation*": 2,
        "expenditure*": 2,
        "spending": 2,
        "distribut* .. funds|funding|resources|appropriations": 2,
        "funding requests|needs|sources": 1,
    },
    "scheduling_and_coordination": {
        "schedule|scheduling": 3,
        "prepare|develop|create|maintain|plan|establish|produce|set .. schedules": 3,
        "schedules": 1,
        "price|rate|fee|tax schedules": -3,
        "calendar*": 3,
        "timetable*": 3,
        "itinerar*": 3,
        "appointments": 2,
        "arrang* .. meetings|travel|conferences|appointments|accommodations|transportation|events": 3,
        "coordinat* .. schedules|activities|meetings|projects|shipments|deliveries|efforts": 2,
        "work assignments": 2,
        "shifts": 1,
        "deadlines|timelines": 1,
    },
    "artifact_revision": {
        "revis*": 4,
        "edit|edits|editing": 4,
        "proofread*": 4,
        "rewrit*": 4,
        "amend*": 3,
        "updat* .. documents|document|manuals|plans|curricula|specifications|designs|documentation"
        "|policies": 3,
        "updat* .. procedures|drawings|maps|materials|reports|content|sites|pages|guidelines|guides": 3,
        "modif* .. plans|programs|designs|software|documents|documentation|reports|specifications"
        "|drawings": 3,
        "correct* .. copy|documents|reports|drawings|text|captions|omissions": 2,
        "correct* .. errors": 1,
        "redraft*": 4,
        "adapt .. text|content|plans|materials": 2,
    },
    "forecasting_and_planning": {
        "forecast*": 4,
        "predict*": 3,
        "anticipat*": 2,
        "projections": 3,
        "future": 2,
        "long range|term": 2,
        "project|projects .. demand|growth|revenue|revenues|needs|enrollment": 1,
        "strategic plan*": 3,
        "develop|prepare|formulate|create|devise .. plans|plan|strategies|strategy": 1.5,
        "plan .. future|expansion|programs|projects|capacity|needs": 1.5,
        "estimate .. needs|requirements|demand": 2,
    },
    "quantitative_modeling": {
        "mathematical|statistical|simulation|financial|economic|econometric|predictive|computer|numerical"
        "|optimization"
        " .. model|models|modeling": 4,
        "build|develop|create .. model|models of": 3,
        "model|models|modeling .. data|costs|risk|risks|scenarios|emissions|demand|processes|systems": 2,
        "simulat*": 3,
        "calculat*": 3,
        "comput|compute|computes|computing .. costs|taxes|amounts|rates|values|interest|charges"
        "|wages|payments|totals": 3,
        "cost estimates|estimate": 3,
        "equations|formulas|algorithms": 2,
        "mathematical": 2,
        "sensitivity|scenarios|scenario": 2,
        "estimat* .. costs|cost|values|quantities|losses|revenues|rates|emissions|savings|prices"
        "|risk|risks": 3,
        "determine .. premiums|rates|prices|value|values": 1.5,
        "actuarial|probabilit*": 2,
    },
    "comparative_evaluation": {
        "compar*": 3,
        "evaluat* .. alternatives|options|proposals|bids|offers|products|vendors|suppliers"
        "|candidates|technologies": 3,
        "alternatives|tradeoffs": 2,
        "select .. vendors|suppliers|bids|products|contractors|materials": 2,
        "benchmark*": 3,
        "rank|ranks|ranking": 3,
        "bids|bid|quotations|quotes": 2,
        "cost benefit|effectiveness": 2,
        "feasibility": 2,
        "apprais*": 2,
        "evaluat* .. effectiveness|performance|quality|impact|results|outcomes": 2,
        "weigh* .. options|costs|benefits": 3,
    },
    "monitoring_and_exception_reporting": {
        "monitor*": 3,
        "track|tracks|tracking": 3,
        "exception*": 3,
        "varianc*": 3,
        "deviation*": 2,
        "anomal*|irregularit*|outliers": 3,
        "overdue|delinquent|late": 2,
        "detect* .. errors|fraud|problems|trends|changes": 2,
        "flag|flags|flagging": 3,
        "report .. problems|violations|irregularities|incidents|delays": 2,
        "surveillance": 2,
        "watch .. thresholds|levels|changes": 2,
    },
    "compliance_review": {
        "complian*|comply|complies": 3,
        "regulations|regulatory|statutes|statutory": 1.5,
        "conform*": 2,
        "adheren*|adhere": 2,
        "audit*": 3,
        "eligib*": 3,
        "violations": 1,
        "review|examine|check|verify .. applications|contracts|claims|permits|forms|licenses|returns"
        "|filings": 2,
        "laws|ordinances|statutes": 1,
        "meet|meets .. requirements|standards|specifications": 1.5,
        "completeness": 2,
        "verify|ensure .. policies|procedures|requirements": 3,
    },
    "classification_and_coding": {
        "classify|classifies|classifying|classified": 4,
        "classification systems|system|schemes|scheme|codes|standards": 3,
        "categor*": 4,
        "assign* .. codes|code|classifications|categories|numbers": 4,
        "catalog*": 4,
        "index|indexes|indexing": 3,
        "taxonom*": 4,
        "coding": 2,
        "code .. data|records|responses|diagnoses|documents": 3,
        "sort .. records|documents|mail|files|data|forms": 2,
        "file .. records|documents|correspondence|materials": 2,
    },
    "policy_design": {
        "develop|formulate|establish|design|draft|devise|create|write|define|set|propose"
        "|prepare .. policy|policies": 4,
        "develop|formulate|establish|design|draft|devise|create|define|set .. procedures|guidelines"
        "|rules|standards": 3,
        "develop|draft|formulate|propose|write .. legislation|regulations|bylaws|protocols": 4,
        "implement* .. policies|policy": 1.5,
        "public policy|policies": 1,
    },
    "data_cleaning_and_integration": {
        "clean* .. data|records|dataset|datasets": 4,
        "merg*": 4,
        "integrat* .. data|information|databases|records|datasets": 3,
        "consolidat* .. data|records|information|reports|returns|files": 3,
        "standardiz* .. data|records|fields|formats|names": 3,
        "deduplicat*|duplicate|duplicates": 3,
        "data quality": 3,
        "enter|input|key .. data|information|records|computer": 3,
        "data entry": 3,
        "convert .. data|records|files": 2,
        "extract .. data|information": 2,
        "database|databases": 2,
        "updat* .. records|files|databases|database|lists|inventory|data": 3,
        "maintain|keep|record .. records|files|logs|inventory|inventories|data|information"
        "|transactions": 0.75,
        "correct* .. data|entries|records|errors|fields": 2,
        "collect|compile|assemble|gather .. data": 1.5,
    },
    "technical_documentation": {
        "documentation": 3,
        "manuals|manual .. write|prepare|develop|produce": 2,
        "write|prepare|produce|develop|compile|create .. manuals|specifications|instructions"
        "|diagrams|drawings|guides": 3,
        "write|prepare|develop|document .. procedures|protocols": 2,
        "document": 2,
        "technical reports|papers|documents|documentation|manuals|specifications|information": 2,
        "specifications": 1,
        "diagrams|schematics|flowcharts|charts": 1,
        "data dictionary|dictionaries": 3,
    },
    "stakeholder_communication": {
        "correspondence|letters|memos|memoranda|emails": 2,
        "respond|answer|reply .. inquiries|questions|requests|complaints|correspondence|comments": 3,
        "present|presents|presenting .. findings|information|results|data|reports|recommendations"
        "|plans|proposals": 3,
        "presentation|presentations|briefing|briefings|speeches|slides": 3,
        "press|news releases": 3,
        "newsletter|newsletters|brochures|announcements|notices|bulletins": 2,
        "inform|notify|brief|advise .. clients|customers|public|residents|management|managers"
        "|officials|board|applicants": 2,
        "communicat*": 2,
        "explain .. results|policies|findings|benefits|procedures|regulations|changes|options": 2,
        "recommendations to": 1,
    },
    "research_and_source_synthesis": {
        "research": 2,
        "conduct|perform|undertake .. research|studies|searches": 2,
        "literature|bibliograph*|journals|publications": 2,
        "gather|collect|obtain|assemble|compile .. information|evidence|facts|sources": 2,
        "multiple|several|various|different sources": 2,
        "synthesi*": 3,
        "abreast": 2,
        "study|review|read .. documents|literature|publications|journals|reports|sources|laws|decisions": 2,
        "search .. records|databases|sources|literature|files": 2,
        "investigat*": 1.5,
        "background information": 2,
    },
    "data_analysis_and_reporting": {
        "analy* .. data|statistics|figures|trends|results|records|information|costs|sales|patterns": 3,
        "analy*": 1.5,
        "statistic*": 2,
        "vital statistics": -2,
        "interpret .. data|results|statistics|information|findings": 2,
        "summar*": 3,
        "compil* .. statistics|reports|data|figures": 2,
        "prepar*|writ*|produc*|generat*|compil* .. reports|report": 1.5,
        "accident|incident|inspection|attendance|patient|student|students reports|report": -2,
        "trends": 2,
        "report .. findings|results|statistics": 2,
        "tabulat*": 3,
        "survey results|data": 2,
    },
}

# What an office file is made of: a demand needs some of it to be work on files at all.
MATERIAL_CUES: Cues = {
    "data|database|databases|dataset|datasets|statistics|statistical|spreadsheet|spreadsheets": 2,
    "report|reports|reporting|document|documents|documentation|manuscripts|correspondence|letters"
    "|memos|memo": 1.5,
    "record|records|file|files|logs|ledger|ledgers|registers|registry|inventories|lists|listings|tables": 1.5,
    "budget|budgets|budgetary|financial|account|accounts|accounting|expenditures|invoices|transactions": 1.5,
    "balance sheet|sheets|statements": 1.5,
    "payroll|tax|taxes|cash|receipts|assets|liabilities|earnings|wages|funds|funding|spending|debt": 1.5,
    "cost|costs|price|prices|quotations|rates|revenue|revenues|sales|premiums|loans|credit|expenses": 1.5,
    "contract|contracts|proposals|bids|applications|claims|permits|requests|orders|forms|returns|notices": 1,
    "policy|policies|regulations|legislation|laws|statutes|rules|codes|standards|compliance|eligibility": 1,
    "plan|plans|forecasts|estimates|projections|scenarios": 1,
    "schedule|schedules|deadlines": 1,
    "calendar|calendars|itineraries": 1,
    "specifications|manuals|procedures|guidelines|guides|guidance|instructions|curricula|curriculum": 1,
    "research|literature|publications|published|sources|articles|journals|survey|surveys|questionnaires": 1.5,
    "bibliographies|text|copy|captions|presentation|presentations|brochures|newsletters|releases": 1.5,
    "web|website|websites|online|internet|software|computer|electronic": 1,
    "information|findings|results|trends|figures|indicators|counts|caseloads|cases|census|responses": 1,
    "recommendations|analysis|analyses|model|models|charts|graphs|maps|index|indexes|classification": 1,
    "analyze|compile|calculate|compute|edit|write|draft|proofread|reconcile|forecast|tabulate|summarize": 1,
    "emissions|consumption|population|enrollment|employment|income|demand|inventory|outcomes"
    "|categories|code": 1,
    "compare|classify|catalog|estimate|monitor|track|revise|merge|benchmark|synthesize|allocate|project": 0.5,
}

# What hands, bodies and machines do: such a demand can't be done on files alone.
PHYSICAL_CUES: Cues = {
    "install*|repair*|weld*|lubricat*": 1.5,
    "assembl* .. parts|equipment|components|machines": 2,
    "clean .. equipment|surfaces|tools|rooms|areas|instruments|machines": 3,
    "operate|drive|steer|lift|load|unload|haul|carry|move|climb|dig|pour|mix|cut|drill|paint|sew"
    "|wash|spray": 2,
    "equipment|machine|machines|machinery|tools|vehicles|vehicle|engines|engine|aircraft|trucks": 1,
    "patients|patient|animals|crops|soil|specimens|samples|blood|wounds|tissue|teeth|bodies": 1,
    "food|meals|beverages|ingredients|recipes|kitchen": 1,
    "pipes|valves|pumps|wiring|wires|circuits|bolts|gauges|gages|meters|instruments|lumber|concrete"
    "|metal": 1.5,
    "workpieces|molds|dies|blades|fabric|garments|hair|skin|furniture": 1.5,
    "administer .. medications|tests|treatments|drugs|injections": 3,
    "blueprints": 1.5,
    "work orders": 1,
    "traffic|crossing|grazing|livestock|forest|fire": 1,
    "vitamins|hormones|compounds|reactions|chemical|chemicals": 1,
    "enforce .. rules|order|discipline": 2,
    "monitor .. work|workers|students|staff|employees|contractors|crews": 1.5,
    "treatment plan|plans": 1.5,
    "therapy|therapeutic|dosage|dosages|radiation|counseling|surgery|surgical|physical": 1,
    "talking|attending|participating|conferring|supervise|supervising": 1,
    "film|audio|video|photographs|graphics|layout|illustrations|sound|photos": 1,
    "massage|bathe|dress|feed|groom|restrain|rescue|escort|patrol|arrest": 2,
    "music|songs|dance|rehearse|rehearsals|scenes|costumes|games|sports|athletes": 1,
    "passengers|inmates|guests|patrons": 1,
}

# Talk and presence: where a demand begins so, a file is not what it is about.
PRESENCE_CUES: Cues = {
    "confer|meet|talk|speak|discuss|negotiate|interview|attend|participate|visit|greet|serve|appear"
    "|testify": 3,
    "supervise|direct|hire|train|teach|instruct|coach|mentor|counsel|lead|motivate|manage|oversee": 2.5,
    "assign .. duties|work|staff|tasks|employees|personnel|workers": 2.5,
    "listen|debate|accompany|count": 2,
    "explain|answer|inform|tell|provide": 0.5,
    "demonstrate|observe|inspect|perform|act|treat|assist|help|guide|encourage|collaborate|promote|comply": 2,
    "operate|use|apply|adjust|test|measure|take|receive|collect|set|place|hold|mark|lay|examine"
    "|administer": 1,
    "consult|work|cooperate|liaise|interact|network|represent|sell|order|purchase|buy|sign|approve"
    "|authorize": 1.5,
}

INPUT_CUES: Mapping[InputFamily, Cues] = {
    "spreadsheet": {
        "data|statistics|statistical|figures|financial|budget|budgets|accounts|accounting": 1.5,
        "cost|costs|sales|payroll|inventory|prices|revenue|revenues|expenditures|rates|trends": 1.5,
        "spreadsheet|spreadsheets|ledger|ledgers|balance|balances|taxes|tax": 2,
    },
    "document": {
        "reports|report|documents|contracts|policies|policy|regulations|laws|proposals|plans": 1.5,
        "literature|publications|manuals|specifications|correspondence|procedures|guidelines"
        "|applications": 1.5,
        "forms|claims|permits|legislation|statutes|agreements|drawings|letters|decisions": 1.5,
    },
    "delimited": {
        "records|transactions|database|databases|logs|files|entries|listings|lists|readings": 1.5,
        "survey|surveys|responses|counts|measurements|samples|enrollment|case|cases": 1,
    },
    "presentation": {"presentation|presentations|slides|briefing|briefings": 2},
    "page": {"web|website|websites|internet|online|news|articles|pages": 2.5},
    "data": {"metadata|gis|geographic|schema|schemas|software|sensor|sensors|electronic|digital": 2},
}

OUTPUT_CUES: Mapping[InputFamily, Cues] = {
    "spreadsheet": {
        "budget|budgets|schedule|schedules|estimates|forecasts|calculations|spreadsheet|spreadsheets": 1.5,
        "calculate|compute|tabulate|tables|charts|graphs|costs|reconcile|balance|models|model": 1,
    },
    "document": {
        "report|reports|letters|correspondence|memos|policy|policies|proposals|plans|documentation"
        "|manuals": 1.5,
        "write|draft|edit|recommendations|contracts|findings|procedures|guidelines|documents|articles": 1.5,
    },
    "delimited": {"records|database|databases|files|lists|listings|inventory|register": 1.5},
    "presentation": {"presentation|presentations|slides|briefing|briefings|present": 3},
    "page": {"web|website|websites|online|internet|newsletter|newsletters": 2},
    "data": {"metadata|gis|geographic|schema|schemas|software|programs|code": 1.5},
}

# What a pattern usually reads and writes, before any word of the demand speaks.
INPUT_PRIORS: Mapping[ExecutionPattern, Mapping[InputFamily, float]] = {
    "quantitative_modeling": {"spreadsheet": 1.5},
    "reconciliation": {"spreadsheet": 1, "delimited": 1},
    "data_analysis_and_reporting": {"spreadsheet": 1},
    "research_and_source_synthesis": {"document": 1.5},
    "data_cleaning_and_integration": {"delimited": 1.5},
    "forecasting_and_planning": {"spreadsheet": 1},
    "budgeting_and_allocation": {"spreadsheet": 1.5},
    "comparative_evaluation": {"spreadsheet": 0.75, "document": 0.5},
    "monitoring_and_exception_reporting": {"delimited": 1},
    "compliance_review": {"document": 1.5},
    "classification_and_coding": {"delimited": 1},
    "scheduling_and_coordination": {"spreadsheet": 1},
    "technical_documentation": {"document": 1.5},
    "stakeholder_communication": {"document": 1.5},
    "policy_design": {"document": 1.5},
    "artifact_revision": {"document": 1.5},
}

OUTPUT_PRIORS: Mapping[ExecutionPattern, Mapping[InputFamily, float]] = {
    "quantitative_modeling": {"spreadsheet": 3},
    "reconciliation": {"spreadsheet": 3},
    "data_analysis_and_reporting": {"document": 1, "spreadsheet": 1},
    "research_and_source_synthesis": {"document": 3},
    "data_cleaning_and_integration": {"delimited": 2, "spreadsheet": 1},
    "forecasting_and_planning": {"spreadsheet": 2, "document": 1},
    "budgeting_and_allocation": {"spreadsheet": 3},
    "comparative_evaluation": {"spreadsheet": 1.5, "document": 1.5},
    "monitoring_and_exception_reporting": {"spreadsheet": 1.5, "document": 1},
    "compliance_review": {"document": 2.5},
    "classification_and_coding": {"delimited": 1.5, "spreadsheet": 1.5},
    "scheduling_and_coordination": {"spreadsheet": 2.5},
    "technical_documentation": {"document": 3},
    "stakeholder_communication": {"document": 2},
    "policy_design": {"document": 3},
    "artifact_revision": {"document": 2},
}


class Cue:
    """A phrase with its weight, ready to match normalized text."""

    def __init__(self, phrase: str, weight: float):
        self.phrase, self.weight = phrase, weight
        parts: list[str] = []
        gap = False
        for token in phrase.split():
            if token == "..":
                gap = True
                continue
            words = "|".join(
                re.escape(word.rstrip("*")) + (r"\w*" if word[-1] == "*" else "") for word in token.split("|")
            )
            parts.append((r" (?:\w+ ){0,4}" if gap else " " if parts else "") + f"(?:{words})")
            gap = False
        self._pattern = re.compile(r"\b" + "".join(parts) + r"\b")

    def at(self, text: str) -> int | None:
        """Where the cue first matches in normalized text, or None."""
        found = self._pattern.search(text)
        return None if found is None else found.start()
