"""What the server says when it refuses something. See engine/sentences.py for how sentences are found."""

from __future__ import annotations

from ..engine.errors import WorkingsError
from ..engine.sentences import add_sentences


class ServerError(WorkingsError):
    """A request that the server does not take."""


add_sentences(
    "error",
    {
        "server.host": "This lab is not called {host}.",
        "server.host.try": "Open one of: {known}. Another name is allowed with `workings serve --public-url URL`.",
        "server.origin": "The page {origin} may not ask this lab.",
        "server.origin.try": "Open the lab itself. Another page is allowed with `workings serve --public-url URL`.",
        "server.size": "The request is larger than {most} bytes.",
        "server.size.try": "Send less: a shorter scenario, smaller matrices, fewer edits.",
        "server.slow": "The request did not arrive within {seconds} seconds.",
        "server.slow.try": "Send it again.",
        "server.rate": "There were too many requests in a short time.",
        "server.rate.try": "Wait {retry} s, and go on.",
        "server.time": "This takes longer than {seconds} seconds.",
        "server.time.try": "It is being computed: ask again in {retry} s. If that does not help, make it smaller.",
        "server.busy": "Many others are asking at this moment.",
        "server.busy.try": "Ask again in {retry} s.",
        "server.request": "The field {field} is missing, or is not what is expected there.",
        "server.request.try": "What every request takes is written in /api/openapi.json.",
        "server.parameter": "{path} has no parameter {name}, or it is given twice.",
        "server.parameter.try": "It takes: {known}.",
        "server.json": "The body of the request is not JSON that can be read.",
        "server.json.try": "Send one JSON object with Content-Type: application/json.",
        "server.path": "There is nothing at {path}.",
        "server.path.try": "Start from the first page of the lab, /.",
        "server.method": "{path} cannot be asked with {method}.",
        "server.method.try": "What can be asked is written in /api/openapi.json.",
        "server.fault": "Something went wrong inside the lab.",
        "server.fault.try": "Try it once more. If it happens again, report what you did, with the last lines of the "
        "log of the server.",
        "server.learner": "There is no learner with this code.",
        "server.learner.try": "Check the code, or begin anew: progress is kept for a year after the last visit.",
        "server.learner.none": "No learner's code was given.",
        "server.learner.none.try": "Send it in the header Workings-Learner.",
        "server.progress": "Progress cannot be kept at the moment: its database does not answer.",
        "server.progress.try": "Everything else works. Tell whoever runs this lab: its log says more.",
        "serve.package": "The package {package}, which the lab needs, is not there.",
        "serve.package.try": 'Install it with pip install "workings[lab]".',
        "serve.app": "The pages of the lab are not built.",
        "serve.app.try": "Run `make run` in the source folder once: it builds them, and starts the lab.",
        "serve.port": "No port from {first} to {last} is free at {host}.",
        "serve.port.try": "Choose another one: workings serve --port 9000.",
        "serve.host": "{host} cannot be listened at: {reason}.",
        "serve.host.try": "Leave out --host, or give an address of this machine.",
        "serve.database": "{url} is no database that can be opened.",
        "serve.database.try": "Write it like sqlite:///progress.db, or `:memory:` to forget everything at the end.",
        "serve.public": "{url} is no address of a page.",
        "serve.public.try": "Write it whole: https://lab.school.example.",
    },
)

add_sentences(
    "cli",
    {
        "serve.taken": "Port {port} is taken, so the lab is at {other}.",
        "serve.open": "The lab listens at {host}, for others too. Keep it behind a proxy with HTTPS.",
        "serve.unnamed": "Others can open it only under the address that you name: add --public-url http://NAME:{port}.",
        "serve.running": "The lab is running. End it with Ctrl-C. Open:",
    },
)
