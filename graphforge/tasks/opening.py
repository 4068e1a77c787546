"""How a request begins: what it is about, why, who is asked, for whom and by when.

All of it follows from the case (what its columns are), the pattern and the occupation. Nothing is invented that could
be looked up: no names, no dates, no figures. The seed's demand is about a kind of work and not about these files; it is
repeated only where its own words are also those of the case.
"""

import re
from collections.abc import Sequence

from ..records import ExecutionPattern, Seed, normalize
from .compose import Composition, View, about, clean, noun, nouns, titled
from .phrases import role, sentence, several

# Why such a thing is asked. {about}: the case in a few words; {rows}, {row}: what its rows are; {ours}: our analysts.
_REASONS: dict[ExecutionPattern, tuple[str, ...]] = {
    "reconciliation": (
        "Before anyone quotes {about}, I need to know whether our files agree on them.",
        "Our files ought to say the same about {about}, and I'd like to be sure of it.",
        "I don't want to find out in a meeting that our files tell different stories about {about}.",
        "We hold {about} more than once, and I can't tell which copy to trust.",
        "Someone will ask which version of {about} we rely on, and I want an answer that is backed by the files.",
    ),
    "artifact_revision": (
        "Our table with {about} is out of step with another version, and it has to follow before it is used again.",
        "A table of ours needs bringing up to date, with a record of what was changed. It has {about}.",
        "Please update our table with {about}; I also want a log of the changes, so that nobody has to guess later.",
        "Before the table with {about} goes out again, its figures have to be replaced by those that hold.",
        "There are two versions of {about} in the folder, and our working table should say what the right one says.",
    ),
    "data_cleaning_and_integration": (
        "I keep switching between two files for {about}, and would rather have them in one table.",
        "To work on {about} we need them side by side, and so far they sit in separate files.",
        "Could you bring {about} together? They are in two files that were never meant to be read as one.",
        "The next piece of work starts from one clean table of {about}, and there isn't one yet.",
        "What is missing for a closer look at {about} is a table that has them together.",
    ),
    "comparative_evaluation": (
        "I've been asked which {rows} stand out when it comes to {about}, and I'd like to answer with a ranking.",
        "For a comparison I need {about} set against each other, so that it shows which {rows} stand out.",
        "Looking at {about} separately says little; I want to see how the {rows} rank by the relation of the two.",
        "Please work out how the {rows} compare in {about}.",
        "The question I have to answer is where each {row} stands on {about}.",
    ),
    "data_analysis_and_reporting": (
        "I'd like a short report on {about}: what the whole is made up of, and which {rows} weigh most.",
        "Before we write anything about {about}, I want to see where the weight lies.",
        "How is the total spread? That is what I need to know about {about}.",
        "I'm asked for a breakdown of {about}, with a page that people can read without the workbook.",
        "Could you put together a breakdown of {about}?",
        "We talk about {about} as if every {row} counted the same. I'd like to see the shares.",
    ),
    "forecasting_and_planning": (
        "I need a first look ahead for {about}: nothing fancy, just the recent movement carried on.",
        "For planning I want to see how {about} moved, and where that leads if nothing changes.",
        "Before we plan around {about}, please lay out what has changed and a plain projection.",
        "We have to put down something about the next period for {about}. A simple projection will do as a start.",
        "What would {about} look like if things went on as they did? I need that in a form I can pass on.",
    ),
    "monitoring_and_exception_reporting": (
        "One of our documents draws a line for {about}, and I need to know which {rows} are on the wrong side of it.",
        "Please check {about} against the rule we have for them, and list what falls outside.",
        "I have to report the exceptions in {about}, going by our own rule and nothing else.",
        "It is time to go through {about} again and pick out the {rows} that our rule flags.",
        "Which {rows} need a second look? There is a rule for {about}; please apply it.",
    ),
    "research_and_source_synthesis": (
        "A text in the folder quotes figures on {about}, and before anyone repeats them I want them checked.",
        "I'd like to use what one of our documents says about {about}, but only if the data bear it out.",
        "Can we rely on what is written about {about}? Please check it against the data.",
        "Before the statements on {about} go any further, they should be held against the source.",
    ),
    "quantitative_modeling": (
        "I need a small model of {about} that I can change numbers in.",
        "For the calculation on {about} I'd rather have a workbook with live formulas than a result on paper.",
        "Please put {about} into a model, so that we can see what follows from what.",
    ),
    "budgeting_and_allocation": (
        "We have to divide something up, and {about} should decide who gets what.",
        "I need an allocation that follows {about} and that nobody can call arbitrary.",
        "Please work out an allocation on the basis of {about}.",
    ),
    "compliance_review": (
        "Please check {about} against the rule that applies, one by one.",
        "I have to say for every {row} whether it meets the rule on {about}.",
        "Before we sign anything off, {about} should be held against the rule.",
    ),
    "classification_and_coding": (
        "I'd like the {rows} sorted into classes by {about}.",
        "For what comes next every {row} needs a class, going by {about}.",
        "Please code the {rows} by {about}, so that the groups can be counted.",
    ),
    "scheduling_and_coordination": (
        "I need an order of work that follows {about}.",
        "Please turn {about} into a plan of what comes when.",
        "We have to decide which {rows} come first, and {about} should settle it.",
    ),
    "technical_documentation": (
        "Nobody has written down what we have on {about}; please do.",
        "I'd like {about} documented, so that others can use them without asking.",
        "Please write up {about} for people who have never seen the files.",
    ),
    "stakeholder_communication": (
        "I have to tell others about {about}, in words they can follow.",
        "Please put what the files say about {about} into a form that can go out.",
        "People outside have asked about {about}, and they should get a clear answer.",
    ),
    "policy_design": (
        "We are thinking about a rule for {about}, and I want to see what it would do.",
        "Before a rule on {about} is proposed, please work out whom it would touch.",
        "I need a draft of a rule for {about} that rests on the figures.",
    ),
}
_ANY_REASON = (
    "I need your help with {about}.",
    "This is about {about}.",
    "There is a piece of work waiting on {about}.",
)
# Who reads it, by major group of the occupation (SOC). Nobody in particular, so nobody is invented.
_READERS: dict[str, tuple[str, ...]] = {
    "11": ("the people who decide on the budget", "my fellow managers", "the management team"),
    "13": ("the people who sign it off", "the finance team", "those who check our work"),
    "15": ("those who build on these data", "the project team", "colleagues who load the tables into their own tools"),
    "17": ("the design reviewers", "the project engineers", "the people who do the technical planning"),
    "19": ("the research group", "whoever reviews our analysis", "colleagues who will cite it"),
    "21": ("the people who run the programs", "the case team", "the program office"),
    "23": ("the attorneys on the file", "whoever drafts the opinion", "the people on the case"),
    "25": ("the faculty", "the curriculum group", "the staff who advise students"),
    "27": ("the people who make the final version", "the project group", "colleagues on the same project"),
    "29": ("the clinical staff", "the people in charge of the service", "the quality team"),
    "31": ("the care team", "the practice management", "the staff on duty"),
    "33": ("the officers in charge", "the command staff", "the shift leaders"),
    "35": ("the kitchen and service leads", "the managers on duty", "the purchasing team"),
    "37": ("the site managers", "the supervisors", "the people who plan the rounds"),
    "39": ("the people who plan the service", "the front desk", "the managers on duty"),
    "41": ("the sales team", "colleagues who talk to clients", "the account managers"),
    "43": ("the office that keeps the records", "the department heads", "whoever takes the file over"),
    "45": ("the people who plan the season", "the crew leaders", "the field office"),
    "47": ("the site office", "the people who plan the jobs", "the foremen"),
    "49": ("the workshop leads", "the people who plan maintenance", "the service desk"),
    "51": ("the production planners", "the shift leaders", "the people who plan production"),
    "53": ("the dispatchers", "the people who plan the routes", "the operations desk"),
}  # fmt: skip
_ANY_READERS = ("colleagues who weren't involved", "people who will read it once", "the rest of the team")
_DEADLINES = (
    "The end of the week is early enough.",
    "I'd be glad to have it by tomorrow evening.",
    "There is no great rush, but it shouldn't slip into next month.",
    "If you can, let me have it today.",
    "I need it before our next meeting.",
    "Take the time it needs; being right matters more than being quick.",
    "A first version won't help me, so please send it when it is finished.",
    "Two or three days is fine.",
)
# Words that any office might use: they tie a demand to no case.
_GENERAL = frozenset(
    """a about according across against all an analysis analyze analyse and any appropriate are area areas as assess at
    based be between both by changes check clean collect collected common compare comparing compile complete conduct
    correct data date describe detailed determine develop different differences documents ensure errors establish
    evaluate examine existing explain factors figures files find findings for form format from gather general get
    identify in including information inspect integrate into inventory is issues it items keep level levels list
    maintain make material matters measure merge methods monitor monthly new note of on operational or organize other
    over past patterns performance periods plans prepare present problems procedures process produce provide published
    quarterly ranges rank read reconcile record records related report reporting reports requirements research results
    review reviews revise sets several similar sources specific spreadsheet spreadsheets standard statistical
    statistics status such summaries summarize summary tables than that the their them these they this those time to
    totals track trend trends two under units update use used using values verify with within work write year yearly
    years decision makers""".split()
)


def opening(view: View, made: Composition) -> tuple[str, str, str]:
    """Three pieces of a request: the reason, who is asked and for whom, and by when (may be empty)."""
    seed = view.workspace.seed
    columns = [view.series[name] for name in made.series.values()]
    words = {
        "about": made.about or about(view, columns),
        "rows": nouns(columns[0]),
        "row": noun(columns[0]),
    }
    reason = view.pick("reason", *(made.reasons or _REASONS.get(seed.pattern, _ANY_REASON))).format(**words)
    deadline = view.pick("deadline", "", "", *_DEADLINES)
    return sentence(_agreeing(reason)), _addressed(view, made), deadline


def _agreeing(text: str) -> str:
    """One measure takes "it" where several take "them"."""
    return re.sub(r"(?<=\bagree on )them", "it", text) if " and " not in text else text


def _addressed(view: View, made: Composition) -> str:
    """Who is asked and who reads it. The activity is named where it is that of the case, or of any office."""
    seed = view.workspace.seed
    people = role(seed.occupation)
    many = several(people)
    ours, one = f"our {people}", f"one of our {people}" if many else f"our {people}"
    are = "are" if many else "is"
    readers = made.readers or view.pick("readers", *_READERS.get(seed.sector[:2], _ANY_READERS))
    if task := _activity(view, made, seed):
        return view.pick(
            "activity",
            f"It is part of what {ours} {are} here for, to {task}. {sentence(readers)} will read it.",
            f"To {task} is what {ours} {are} asked to do, and this is a piece of it, for {readers}.",
            f"As {one} you know the task: to {task}. This is for {readers}.",
            f"You'd be doing it as {one}, whose work it is to {task}. It goes to {readers}.",
        )
    return view.pick(
        "asked",
        f"I'm asking you as {one}; what you send goes to {readers}.",
        f"I'd like {one} to take this on, preferably you. It is meant for {readers}.",
        f"The result goes to {readers}, and with it the name of {ours}, so it has to be right.",
        f"Among {ours} you are the one I'd trust with it. It will be read by {readers}.",
        f"It comes from {ours} and goes to {readers}.",
        f"{sentence(ours)} {are} expected to supply it to {readers}, and this time it falls to you.",
        f"It is for {readers}; as {one} you will know how much they want to read.",
    )


def _activity(view: View, made: Composition, seed: Seed) -> str:
    """The demand or the general activity as "to ..." goes on, or nothing where it would speak of another case."""
    own: list[str] = [clean(made.about, 1000)]
    for name in made.series.values():
        series = view.series[name]
        own += [series.measure, series.key_name, series.table, titled(view, view.file(series))]
    known = {_stem(word) for text in own for word in normalize(text).split()}
    for text, least in ((seed.demand, 0.6), (seed.dwa, 1.0)):
        words = [word for word in normalize(text).split() if word not in _GENERAL and len(word) > 1]
        if len(text) > 150 or _share(words, known) < least:
            continue
        told = text.strip().rstrip(".")
        return told if told[:2].isupper() else told[:1].lower() + told[1:]
    return ""


def _share(words: Sequence[str], known: set[str]) -> float:
    return sum(_stem(word) in known for word in words) / len(words) if words else 1.0


def _stem(word: str) -> str:
    """Enough of a word to know it again in another form."""
    return word[:6] if len(word) > 6 else word.rstrip("s")
