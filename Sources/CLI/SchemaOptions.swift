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

    /// What these options and the environment say.
    var texts: SettingTexts { SettingTexts(flags: flags, environment: environmentOfProcess) }
}
