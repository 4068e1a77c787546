"""Fields of work: a small thesaurus that bridges the words of occupations and the words of files.

An epidemiologist's tasks rarely say "zika", nor a case count "epidemiologist"; both speak of disease. Each field lists
words that people of the field and its documents use and that others seldom do. The list is about work in general,
not about any library; a model's judgement replaces it where one is configured.
"""

from collections.abc import Iterable, Mapping

from .words import stem

_WORDS = {
    "public finance": """budget fund funds fiscal treasury treasurer revenue expenditure expenditures spending
        appropriation obligations comptroller controller government municipal auditor audit audits financial grants
        tax taxes""",
    "tax": "tax taxes taxpayer irs deduction deductions withholding income preparer assessor filing revenue",
    "accounting": """accounting accountant accountants accounts bookkeeping bookkeeper auditor auditing audit ledger
        payroll invoice invoices balance cash assets liabilities financial payable receivable transactions billing
        credit statement""",
    "business": """securities stock shareholders company companies corporate earnings sales retail merchandise brokers
        investment investments investor financial market marketing advertising profit customer customers store""",
    "economics": """economist economists economic actuary actuaries actuarial forecast price prices inflation market
        income employment statistics statistical projections projection""",
    "procurement": """procurement purchasing purchase contract contracts contractor contractors vendor vendors supplier
        suppliers bids bid buyer buyers acquisition solicitation card travel fleet logistics""",
    "energy": """energy oil gas petroleum fuel fuels electricity electric electrical power utility utilities coal drilling
        pipeline renewable solar wind turbine geothermal nuclear biomass biofuels hydroelectric megawatt photovoltaic
        crude""",
    "natural resources": """mining mine mines minerals mineral oil gas petroleum royalties royalty drilling geologist
        geologists geological geoscientists land lands forest timber copper quarry extraction""",
    "environment": """environmental emissions emission pollution pollutant pollutants air climate carbon hazardous toxic
        waste conservation ecological greenhouse sustainability epa contaminants exposure water wastewater recycling
        risk""",
    "transport": """transportation transport vehicle vehicles traffic driver drivers airline airlines aircraft aviation
        freight truck trucks trucking shipping highway road roads rail railroad transit automotive bus pilot pilots
        pedestrian trips fuel accidents crashes""",
    "health": """health disease diseases patient patients medical medicine hospital hospitals clinical nurse nurses nursing
        epidemiologist epidemiologists epidemiology vaccine vaccination overdose drug drugs death deaths infection
        infectious physician physicians pharmacy mortality zika virus therapy therapists healthcare outbreak""",
    "education": """education educational school schools student students college colleges teacher teachers university
        universities postsecondary instruction instructional curriculum academic graduates graduation enrollment tuition
        admissions degree campus majors""",
    "labor": """labor employment wage wages job jobs occupation occupations occupational workforce recruitment
        compensation visa layoff layoffs unemployment hiring hire employees employee hr payroll earnings careers career
        separations benefits""",
    "social services": """family families welfare assistance child children social caseload eligibility counseling
        counselors recipients community tanf benefits households poverty needy probation clients""",
    "planning": """housing zoning urban land property properties building buildings construction real estate disaster
        neighborhood planner planners residential census tenants rent mortgage development school boroughs city cities
        regional architects""",
    "lending": """loan loans mortgage mortgages lending lender lenders borrower borrowers credit bank banks banking fair
        applicants underwriters underwriting""",
    "agriculture": "farm farms farmer farmers agriculture agricultural crop crops food livestock rural usda irrigation",
    "materials": """materials photovoltaic modules manufacturing copper silicon glass metals metallurgical semiconductor
        factory production chemical chemists engineers industrial""",
    "software": """software agile computer programmers developers web digital database databases information api code
        application applications technology cybersecurity json schema""",
}  # fmt: skip

# Whoever's work is figures or the public as such is at home with any public data.
_AT_HOME_ANYWHERE = """statistician statisticians statistical mathematician mathematicians survey database databases
    biostatisticians intelligence legislators journalists reporters news correspondents librarians archivists analytics
    economists sociologists geographers demographers spreadsheet spreadsheets datasets""".split()

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
