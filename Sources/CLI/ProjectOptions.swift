import ArgumentParser
import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The options of every verb that reads a schema, and data or where it is.
struct ProjectOptions: ParsableArguments {
    @OptionGroup var schema: SchemaOptions

    @Option(name: .long, help: Setting.data.argumentHelp("folder"))
    var data: String?

    var flags: [Setting: [String]] { schema.flags.merging([.data: [data].compactMap(\.self)]) { $1 } }

    /// What these options and the environment say. What an Amplify project lacks to be served does not keep its author from
    /// looking at it.
    var texts: SettingTexts { SettingTexts(for: .develop, flags: flags, environment: environmentOfProcess) }
}
