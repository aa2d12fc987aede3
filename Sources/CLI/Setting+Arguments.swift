import ArgumentParser
import Foundation
import Server

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Setting {
    func argumentHelp(_ valueName: String?) -> ArgumentHelp {
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

/// The variables of the process that are ours, and those that set feature flags of an Amplify project.
var environmentOfProcess: [String: String] {
    let given = Setting.allCases.compactMap { setting in
        unsafe getenv(setting.variable).map { unsafe (setting.variable, String(cString: $0)) }
    }
    let flags = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("AMPLIFYCLI") }
    return Dictionary(given, uniquingKeysWith: { first, _ in first }).merging(flags) { first, _ in first }
}
