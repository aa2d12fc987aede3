import ArgumentParser
import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The options of every verb that reads a schema.
struct ProjectOptions: ParsableArguments {
    @Option(name: .long, help: Setting.schema.argumentHelp("file or folder"))
    var schema: [String] = []

    @Option(name: .long, help: Setting.data.argumentHelp("folder"))
    var data: String?

    @Option(name: .long, help: Setting.config.argumentHelp("file"))
    var config: String?

    @Flag(name: .long, help: Setting.datastore.argumentHelp(nil))
    var datastore = false

    var flags: [Setting: [String]] {
        [
            .schema: schema, .data: [data].compactMap(\.self), .config: [config].compactMap(\.self),
            .datastore: datastore ? ["true"] : [],
        ]
    }

    /// What these options and the environment say.
    var texts: SettingTexts { SettingTexts(flags: flags, environment: environmentOfProcess) }
}

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

/// The options of the verbs that serve.
struct ServeOptions: ParsableArguments {
    @OptionGroup var project: ProjectOptions

    @Option(name: .long, help: Setting.host.argumentHelp("address"))
    var host: String?

    @Option(name: .long, help: Setting.port.argumentHelp("number"))
    var port: String?

    @Option(name: .long, help: Setting.hosts.argumentHelp("name"))
    var hosts: [String] = []

    @Option(name: .long, help: Setting.tls.argumentHelp("off|auto|CERT,KEY"))
    var tls: [String] = []

    @Option(name: .long, help: Setting.tlsPort.argumentHelp("number"))
    var tlsPort: String?

    @Flag(name: .long, help: Setting.tlsOnly.argumentHelp(nil))
    var tlsOnly = false

    @Option(name: .long, help: Setting.apiKey.argumentHelp("key"))
    var apiKey: String?

    @Flag(name: .long, help: Setting.ephemeral.argumentHelp(nil))
    var ephemeral = false

    @Option(name: .long, help: Setting.log.argumentHelp("form"))
    var log: String?

    @Option(name: .long, help: Setting.logLevel.argumentHelp("level"))
    var logLevel: String?

    @Option(name: .long, help: Setting.readyFile.argumentHelp("path"))
    var readyFile: String?

    /// What these options and the environment say.
    var texts: SettingTexts {
        var flags = project.flags
        flags[.host] = [host].compactMap(\.self)
        flags[.port] = [port].compactMap(\.self)
        flags[.hosts] = hosts
        flags[.tls] = tls
        flags[.tlsPort] = [tlsPort].compactMap(\.self)
        flags[.tlsOnly] = tlsOnly ? ["true"] : []
        flags[.apiKey] = [apiKey].compactMap(\.self)
        flags[.ephemeral] = ephemeral ? ["true"] : []
        flags[.log] = [log].compactMap(\.self)
        flags[.logLevel] = [logLevel].compactMap(\.self)
        flags[.readyFile] = [readyFile].compactMap(\.self)
        return SettingTexts(flags: flags, environment: environmentOfProcess)
    }
}

extension Setting {
    fileprivate func argumentHelp(_ valueName: String?) -> ArgumentHelp {
        ArgumentHelp(stringLiteral: help).named(valueName)
    }
}

extension ArgumentHelp {
    fileprivate func named(_ valueName: String?) -> ArgumentHelp {
        var help = self
        help.valueName = valueName
        return help
    }
}

/// The variables of the process that are ours.
private var environmentOfProcess: [String: String] {
    let given = Setting.allCases.compactMap { setting in
        unsafe getenv(setting.variable).map { unsafe (setting.variable, String(cString: $0)) }
    }
    return Dictionary(given, uniquingKeysWith: { first, _ in first })
}
