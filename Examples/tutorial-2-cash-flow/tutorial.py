"""Tutorial 2, cash flow: models from a schema file, with no account, no network and no server. The tutorial's app keeps its
account on the device; here it is synced as well.

    python3 tutorial.py .build/debug/syncline"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from amplify_app import App, DataStore, Project, folder_of, show  # noqa: E402

ID = "currentUserId"

with Project(sys.argv[1], folder_of(__file__)) as project:
    before = sorted(project.folder.rglob("*"))
    print(project.syncline("codegen", "models", "--target", "swift", "--out", "../app/AmplifyModels").splitlines()[0])
    models = folder_of(__file__) / "AmplifyModels"
    show("the models are those of Amplify Tools, byte for byte", {
        path.name: path.read_bytes() == (project.app / "AmplifyModels" / path.name).read_bytes()
        for path in sorted(models.iterdir())})
    show("nothing else is written", sorted(project.folder.rglob("*")) == before)
    show("and the schema has not changed since", project.syncline(
        "codegen", "models", "--target", "swift", "--out", "../app/AmplifyModels", "--check").split(": ")[-1].strip(".\n"))

    project.start()
    show("the files of the app", project.files())
    phone = DataStore(App(project), {"Accounts": "id balance"})
    show("first run: the account is not there", phone.sync())
    show("so it is created", phone.mutate("Create", "Accounts", {"id": ID, "balance": 0}))
    # What the app adds up: 0.1 + 0.2.
    show("a balance is exact as a double", phone.mutate("Update", "Accounts", {"id": ID, "balance": 0.1 + 0.2}))
    project.stop()

    # The app is started again, and so is the server.
    project.start()
    phone = DataStore(App(project), {"Accounts": "id balance"})
    show("second run", phone.sync())
    show("the account is found", phone.living("Accounts"))
    show("and updated", phone.mutate("Update", "Accounts", {"id": ID, "balance": 1024.1}))
    show("the API has it", phone.app.ask(f'{{ getAccount(id: "{ID}") {{ id balance }} }}'))
