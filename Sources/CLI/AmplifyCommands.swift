import Server

/// The verbs of the Amplify CLI that have no counterpart of the same name, and what to use instead. They end with exit code 2.
enum AmplifyCommands {
    private static let sentences = [
        "push":
            "There is nothing to push: 'syncline dev' serves each change of the schema at once, and 'syncline migrate plan' "
            + "and 'syncline migrate apply' change stored tables before 'syncline serve'.",
        "status":
            "'syncline check' prints the current environment, and for each resource of the project what is served.",
        "env":
            "Nothing is switched in amplify/: name an environment with --env NAME; 'syncline check --json' lists all of them.",
        "mock": "'syncline dev' serves the API, with the key of Amplify's mock.",
        "api": "'syncline check' validates the schema, and 'syncline schema print' prints what is generated from it.",
        "function":
            "Functions are called by the URLs in 'functions' of the configuration; 'syncline dev' serves the rest.",
        "publish": "There is nothing to publish: 'syncline serve' serves the project.",
        "delete": "There is no stack to delete: the data of an environment is the folder .syncline/ENVIRONMENT.",
        "add": "A resource is added to config/syncline.json by its section, or to the project by the Amplify CLI.",
        "update": "A resource is changed in config/syncline.json, or in the project by the Amplify CLI.",
        "remove": "A resource is removed from config/syncline.json, or from the project by the Amplify CLI.",
        "init":
            "There is nothing to initialize: 'syncline dev' serves a folder with a schema.graphql or an Amplify project.",
    ]

    /// What stands for a verb of the Amplify CLI; nil for any other word.
    static func error(for word: String) -> ServerError? {
        sentences[word].map { ServerError(.usage, "'\(word)' is a command of the Amplify CLI.", hint: $0) }
    }
}
