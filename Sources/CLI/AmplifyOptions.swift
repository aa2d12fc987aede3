import ArgumentParser
import Server

/// The options of every verb that may be started in an Amplify project.
struct AmplifyOptions: ParsableArguments {
    @Option(name: .long, help: Setting.amplify.argumentHelp("folder"))
    var amplify: String?

    @Flag(name: .long, help: Setting.noAmplify.argumentHelp(nil))
    var noAmplify = false

    @Option(name: .customLong("env"), help: Setting.environment.argumentHelp("name"))
    var environment: String?

    @Option(name: .long, help: Setting.api.argumentHelp("name"))
    var api: String?

    @Flag(name: .long, help: Setting.allowExpiredKeys.argumentHelp(nil))
    var allowExpiredKeys = false

    @Flag(name: .long, help: Setting.ignoreCustomTransformers.argumentHelp(nil))
    var ignoreCustomTransformers = false

    var flags: [Setting: [String]] {
        [
            .amplify: [amplify].compactMap(\.self), .noAmplify: noAmplify ? ["true"] : [],
            .environment: [environment].compactMap(\.self), .api: [api].compactMap(\.self),
            .allowExpiredKeys: allowExpiredKeys ? ["true"] : [],
            .ignoreCustomTransformers: ignoreCustomTransformers ? ["true"] : [],
        ]
    }
}
