import ArgumentParser
import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The options of the verbs that only handle data.
struct DataOptions: ParsableArguments {
    @Option(name: .long, help: Setting.data.argumentHelp("folder"))
    var data: String?

    @Option(name: .long, help: Setting.config.argumentHelp("file"))
    var config: String?

    /// What these options and the environment say.
    var texts: SettingTexts {
        SettingTexts(
            flags: [.data: [data].compactMap(\.self), .config: [config].compactMap(\.self)],
            environment: environmentOfProcess, concernsSchema: false)
    }
}
