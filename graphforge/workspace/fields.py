"""Fields of work: a small thesaurus that bridges the words of occupations and the words of files.

An epidemiologist's tasks rarely say "zika", nor a case count "epidemiologist"; both speak of disease. Each field lists
words that people of the field and its documents use and that others seldom do. The list is about work in general,
not about any library; a model's judgement replaces it where one is configured.
"""

from collections.abc import Iterable, Mapping

from .words import stem

_WORDS = {
    "public finance": """budget budgets fund funds fiscal treasury treasurer treasurers revenue revenues expenditure
        expenditures spending appropriation appropriations obligations comptroller controllers municipal financial
        finance tax taxes""",
    "tax": "tax taxes taxpayer taxpayers irs deduction deductions withholding income preparers assessors revenue",
    "accounting": """accounting accountant accountants bookkeeping bookkeeper auditor auditors auditing audit audits
        ledger payroll invoice invoices cash assets liabilities financial payable receivable billing credit""",
    "business": """stock shareholders companies corporate earnings sales retail merchandise brokers investment
        investments investor investors financial market marketing advertising profit profits""",
    "economics": """economist economists economic actuary actuaries actuarial forecast forecasts price prices inflation
        market markets income employment""",
    "procurement": """procurement purchasing purchase purchases vendor vendors supplier suppliers bids buyer buyers
        acquisition solicitation solicitations fleet logistics logisticians""",
    "energy": """energy oil gas petroleum fuel fuels electricity electric electrical power utility utilities coal
        drilling pipeline renewable solar wind turbine geothermal nuclear biomass biofuels hydroelectric megawatt
        photovoltaic crude refinery""",
    "natural resources": """mining mine mines minerals mineral oil gas petroleum royalties royalty drilling geologist
        geologists geological geoscientists forest timber copper quarry extraction""",
    "environment": """environmental emissions emission pollution pollutant pollutants air climate carbon hazardous toxic
        waste conservation ecological greenhouse sustainability epa contaminants wastewater recycling""",
    "transport": """transportation transport vehicle vehicles traffic driver drivers airline airlines aircraft aviation
        freight truck trucks trucking shipping highway road roads rail railroad transit automotive bus pilots
        pedestrian accidents crashes""",
    "health": """health disease diseases patient patients medical medicine hospital hospitals clinical nurse nurses
        nursing epidemiologist epidemiologists epidemiology vaccine vaccination overdose drug drugs death deaths
        infection infectious physician physicians pharmacy pharmacists mortality zika virus healthcare outbreak""",
    "education": """education educational school schools student students college colleges teacher teachers university
        universities postsecondary instruction instructional curriculum academic graduates graduation enrollment tuition
        admissions campus""",
    "labor": """labor employment wage wages job jobs occupation occupations occupational workforce recruitment
        compensation visa layoff layoffs unemployment hiring hire payroll earnings careers career separations""",
    "social services": """family families welfare child children social caseload eligibility recipients tanf
        benefits households poverty needy""",
    "planning": """housing zoning urban property properties building buildings real estate disaster neighborhood
        planners residential census tenants rent mortgage boroughs city cities regional architects""",
    "lending": """loan loans mortgage mortgages lending lender lenders borrower borrowers credit bank banks banking
        underwriters underwriting""",
    "agriculture": "farm farms farmer farmers agriculture agricultural crop crops food livestock rural usda irrigation",
    "materials": "photovoltaic modules manufacturing copper silicon glass metals metallurgical semiconductor factory",
    "software": "software agile programmers developers web api cybersecurity json schema",
}  # fmt: skip

# Whoever's work is figures or public affairs as such is at home with any public data.
_AT_HOME_ANYWHERE = """statistician statisticians statistical mathematician mathematicians survey biostatisticians
    intelligence news journalists analytics economists sociologists demographers data""".split()

FIELDS: Mapping[str, frozenset[str]] = {
    name: frozenset(stem(word) for word in words.split()) for name, words in _WORDS.items()
}
AT_HOME_ANYWHERE = frozenset(stem(word) for word in _AT_HOME_ANYWHERE)


def densities(words: Iterable[str]) -> dict[str, float]:
    """For every field the part (0 to 1) of the stems that belong to it."""
    counted = dict.fromkeys(FIELDS, 0)
    total = 0
    for word in words:
        total += 1
        for name, members in FIELDS.items():
            counted[name] += word in members
    return {name: count / total if total else 0.0 for name, count in counted.items()}
