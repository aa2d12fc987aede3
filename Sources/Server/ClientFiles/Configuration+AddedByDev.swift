extension Configuration {
    /// What `dev` adds to what is configured, and client files therefore have; `serve` serves none of it.
    ///
    /// - Parameter texts: The texts of the files.
    public func addedByDev(in texts: [String]) -> [String] {
        let parts: [(words: String, isAdded: Bool, members: [String])] = [
            ("user pool", userPools.pools.isEmpty, ["CognitoUserPool", "user_pool_id", "aws_user_pools_id"]),
            (
                "identity pool", userPools.identityPools.isEmpty,
                ["CredentialsProvider", "identity_pool_id", "aws_cognito_identity_pool_id"]
            ),
            (
                "bucket", !storage.isConfigured,
                ["awsS3StoragePlugin", "S3TransferUtility", "bucket_name", "aws_user_files_s3_bucket"]
            ),
            (
                "analytics app", analytics.apps.isEmpty && !analytics.isOff,
                ["awsPinpointAnalyticsPlugin", "PinpointAnalytics", "amazon_pinpoint", "aws_mobile_analytics_app_id"]
            ),
        ]
        return parts.filter { part in
            part.isAdded && texts.contains { text in part.members.contains { text.contains("\($0)\"") } }
        }.map(\.words)
    }
}
