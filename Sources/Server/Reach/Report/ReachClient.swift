/// A client that `syncline reach` knows.
public enum ReachClient: String, Sendable, CaseIterable {
    case amplifySwift = "amplify-swift"
    case amplifyJS = "amplify-js"
    case amplifyAndroid = "amplify-android"
    case amplifyFlutter = "amplify-flutter"
    case appSyncLink = "aws-appsync-subscription-link"
    case gql
    case boto3
    case awscli
}
