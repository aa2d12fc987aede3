import ArgumentParser
import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The options of every verb that reads a schema and no data.
struct SchemaOptions: ParsableArguments {
    @Option(name: .long, help: Setting.schema.argumentHelp("file or folder"))
    var schema: [String] = []

    @Option(name: .long, help: Setting.config.argumentHelp("file"))
    var config: String?

    @Flag(name: .long, help: Setting.datastore.argumentHelp(nil))
    var datastore = false

    @OptionGroup var amplify: AmplifyOptions

    var flags: [Setting: [String]] {
        let own: [Setting: [String]] = [
            .schema: schema, .config: [config].compactMap(\.self), .datastore: datastore ? ["true"] : [],
        ]
        return own.merging(amplify.flags) { $1 }
    }

    /// What these options and the environment say. What an Amplify project lacks to be served, such as a function's URL, is
    /// not needed to read its schema.
    var texts: SettingTexts { SettingTexts(for: .develop, flags: flags, environment: environmentOfProcess) }
}
