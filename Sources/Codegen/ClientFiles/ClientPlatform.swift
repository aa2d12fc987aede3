/// What an app is written with, for the steps that connect it to a server.
public enum ClientPlatform: String, Sendable, Hashable, CaseIterable {
    /// amplify-swift.
    case swift
    /// amplify-android.
    case kotlin
    /// amplify-js.
    case javascript
    /// amplify-flutter.
    case flutter
    /// A terminal.
    case curl

    /// The files that it is configured by.
    public var files: [ClientFile] {
        switch self {
        case .swift, .kotlin: [.amplifyConfiguration, .awsConfiguration]
        case .javascript: [.awsExports]
        case .flutter: [.amplifyOutputs]
        case .curl: []
        }
    }

    /// The lines that configure the app.
    public func snippet(_ address: ClientAddress) -> String {
        switch self {
        case .swift:
            "try Amplify.add(plugin: AWSAPIPlugin(modelRegistration: AmplifyModels()))\ntry Amplify.configure()"
        case .kotlin: "Amplify.addPlugin(AWSApiPlugin())\nAmplify.configure(applicationContext)"
        case .javascript:
            "import { Amplify } from 'aws-amplify';\nimport config from './aws-exports';\n\nAmplify.configure(config);"
        case .flutter:
            "await Amplify.addPlugin(AmplifyAPI());\n"
                + "await Amplify.configure(await rootBundle.loadString('amplify_outputs.json'));"
        case .curl:
            "curl \(address.graphQLURL) -H \"x-api-key: $SYNCLINE_API_KEY\" -H 'content-type: application/json' "
                + "-d '{\"query\":\"{ __typename }\"}'"
        }
    }

    /// What the app needs beside, at this address.
    public func notes(_ address: ClientAddress) -> [String] {
        var notes: [String] = []
        switch self {
        case .swift:
            if !address.isSecure {
                notes.append(
                    "App Transport Security: set NSAllowsLocalNetworking in Info.plist, since the address is http.")
            }
            notes.append("'syncline codegen models --target swift --out AmplifyModels' generates the models.")
        case .kotlin where !address.isSecure:
            notes.append("The network security configuration has to permit clear text, since the address is http.")
        case .javascript where !address.isSecure:
            notes.append("Subscriptions use wss always: they need an https address.")
        case .kotlin, .javascript, .flutter, .curl: break
        }
        return notes
    }
}
