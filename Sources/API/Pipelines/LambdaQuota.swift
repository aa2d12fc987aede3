/// AWS Lambda's quotas of a synchronous invocation (AWS Lambda, "Quotas").
public enum LambdaQuota {
    /// Bytes of an event: 6 MB.
    public static let eventBytesMax = 6_291_456
}
