/// The scalars a schema may use: the five of the specification (spec §3.5), AppSync's nine, the two that the
/// transformer knows besides, and a schema's own.
public enum Scalar: Sendable, Hashable {
    /// 32 bits, signed.
    case int
    /// A finite IEEE 754 double.
    case float
    /// UTF-8 text.
    case string
    /// true or false.
    case boolean
    /// Text that names one object.
    case id
    /// `YYYY-MM-DD`, an offset may follow.
    case awsDate
    /// `hh:mm[:ss[.fraction]]`, an offset may follow.
    case awsTime
    /// `YYYY-MM-DDThh:mm[:ss[.fraction]]` and an offset.
    case awsDateTime
    /// Seconds since 1970, 64 bits.
    case awsTimestamp
    /// `local@domain`.
    case awsEmail
    /// Text that holds JSON.
    case awsJSON
    /// An absolute URL.
    case awsURL
    /// A telephone number.
    case awsPhone
    /// An IPv4 or IPv6 address, a prefix length may follow.
    case awsIPAddress
    /// 64 bits, signed.
    case bigInt
    /// As `float`, by another name.
    case double
    /// A scalar of the schema's own: any value, unchanged.
    case custom(name: String, specifiedByURL: String?)

    /// The five that every schema has. Spec §3.5.
    public static let specified: [Scalar] = [.int, .float, .string, .boolean, .id]

    /// The nine that every schema of AppSync has.
    public static let appSync: [Scalar] = [
        .awsDate, .awsTime, .awsDateTime, .awsTimestamp, .awsEmail, .awsJSON, .awsURL, .awsPhone, .awsIPAddress,
    ]

    /// Those that a schema may name without defining them.
    public static let predefined: [Scalar] = appSync + [.bigInt, .double]

    private static let byName = Dictionary(
        uniqueKeysWithValues: (specified + predefined).map { ($0.name, $0) })

    /// A scalar known without a definition, by name.
    public init?(name: String) {
        guard let scalar = Self.byName[name] else { return nil }
        self = scalar
    }

    /// As schemas spell it.
    public var name: String {
        switch self {
        case .int: "Int"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .id: "ID"
        case .awsDate: "AWSDate"
        case .awsTime: "AWSTime"
        case .awsDateTime: "AWSDateTime"
        case .awsTimestamp: "AWSTimestamp"
        case .awsEmail: "AWSEmail"
        case .awsJSON: "AWSJSON"
        case .awsURL: "AWSURL"
        case .awsPhone: "AWSPhone"
        case .awsIPAddress: "AWSIPAddress"
        case .bigInt: "BigInt"
        case .double: "Double"
        case .custom(let name, _): name
        }
    }

    /// The reason of `@specifiedBy`.
    public var specifiedByURL: String? { if case .custom(_, let url) = self { url } else { nil } }

    /// What a text of this scalar is called in AppSync's messages, and the test it has to pass; `nil` of the scalars
    /// that are no checked text.
    ///
    /// The test borrows the bytes for its call.
    var form: (noun: String, accepts: @Sendable (UnsafeRawBufferPointer) -> Bool)? {
        switch self {
        case .awsDate: unsafe ("date", ScalarText.isDate)
        case .awsTime: unsafe ("time", ScalarText.isTime)
        case .awsDateTime: unsafe ("DateTime Object", ScalarText.isDateTime)
        case .awsEmail: unsafe ("email address", ScalarText.isEmail)
        case .awsURL: unsafe ("URL", ScalarText.isURL)
        case .awsPhone: unsafe ("phone number", ScalarText.isPhone)
        case .awsIPAddress: unsafe ("IP address", ScalarText.isIPAddress)
        default: nil
        }
    }
}
