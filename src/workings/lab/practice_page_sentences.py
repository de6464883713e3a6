"""What the pages on which somebody practises, and sees their progress, say around their documents."""

from __future__ import annotations

from ..engine.sentences import add_sentences

add_sentences(
    "lab",
    {
        # -- practice
        "practice.title": "Practice",
        "practice.choose": "Choose a lesson. You get its steps with blanks, and numbers that nobody has seen before; "
        "each answer is judged at once, and a known mistake is called by its name.",
        "practice.of": "Practice: {title}",
        "practice.lesson": "Read the lesson",
        "practice.explore": "Explore the lesson's numbers",
        "practice.blanks": "Blanks",
        "practice.blanks.few": "few blanks",
        "practice.blanks.some": "more blanks",
        "practice.blanks.all": "every entry",
        "practice.check_all": "Check all",
        "practice.new": "New numbers",
        "practice.print": "Print",
        "practice.again": "Clear my answers",
        "practice.done": "{right} of {asked} right",
        "practice.started": "{asked} blanks to fill. Enter has an answer judged; from a right one it goes to the next.",
        "practice.progress": "How much is right so far",
        "practice.hint": "Hint",
        "practice.hint.next": "Next hint",
        "practice.hint.last": "Show the answer",
        "practice.hint.for": "{hint} for {label}",
        "practice.hints": "Hints for {label}",
        "practice.right.sign": "✓",
        "practice.wrong.sign": "✗",
        "practice.unread.sign": "?",
        "practice.first": "This is the first step that went wrong: mend it first.",
        "practice.offline": "More blanks, and more sheets than these, need the lab: run `workings` and open the same "
        "address there.",
        "practice.kept": "Your answers stay in this browser.",
        "practice.remembered": "What you get right, and your mistakes, count towards your progress.",
        # -- progress
        "progress.title": "Your progress",
        "progress.none": "Nothing is remembered about you.",
        "progress.about": "If you want, the lab remembers which lessons you opened, how your answers were judged and "
        "which mistakes were named. It does so under a random code. There is no name, no account and no password.",
        "progress.remember": "Remember my progress",
        "progress.other": "Use a code from another browser",
        "progress.code": "Code",
        "progress.use": "Use this code",
        "progress.yours": "Your code",
        "progress.code.about": "Write it down: it is the only way to your progress from another browser. Whoever has "
        "it can see and delete your progress.",
        "progress.copy": "Copy the code",
        "progress.copied": "The code is in the clipboard.",
        "progress.lessons": "Lessons",
        "progress.lessons.none": "No lesson yet.",
        "progress.lesson": "Lesson",
        "progress.opened": "Opened",
        "progress.opened.yes": "yes",
        "progress.opened.no": "not yet",
        "progress.answers": "Answers",
        "progress.right": "Right",
        "progress.practise": "Practise this",
        "progress.practise.of": "Practise this: {title}",
        "progress.mistakes": "Mistakes that were named",
        "progress.mistakes.none": "None so far.",
        "progress.mistake": "Mistake",
        "progress.count": "How often",
        "progress.last": "Last on",
        "progress.data": "Your data",
        "progress.since": "Kept since {since}, and until {until}: one year after your last visit. Then it is deleted "
        "by itself.",
        "progress.stored": "Stored: which lessons you opened and when; of each answer the sheet, the entry, whether "
        "it was right, the mistake that was named, and when. The code itself is stored only as a fingerprint.",
        "progress.not_stored": "Not stored: a name, an address, what you typed. Nothing leaves the machine on which "
        "the lab runs.",
        "progress.export": "Download my data",
        "progress.file": "workings-progress.json",
        "progress.leave": "Forget the code in this browser only",
        "progress.delete": "Delete my data",
        "progress.delete.sure": "This deletes everything that is kept under your code, at once and for good.",
        "progress.delete.yes": "Delete it",
        "progress.delete.no": "Keep it",
        "progress.deleted": "Your data is deleted.",
        # -- models
        "models.title": "Models",
        "models.about": "Architectures that are known by name, with every weight counted line by line.",
        "models.name": "Model",
        "models.what": "What it is",
        "models.parameters": "Weights",
        "models.all": "All models",
    },
)
