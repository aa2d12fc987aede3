/// What the types of API.swift need where the AppSync SDK is not there: the protocols of operations and results, and the
/// conversion of JSON to the values of the schema's types and back.
///
/// The names are those that apps know from Amplify's API.swift and from the AppSync SDK.
enum SwiftAPISupport {
    static let text = #"""
        import Foundation

        public typealias GraphQLID = String
        /// Variables, or the fields of an input, by their names. What is nil is not sent.
        public typealias GraphQLMap = [String: JSONEncodable?]
        /// The fields of a result by their response keys, each with the Swift value of its type.
        public typealias Snapshot = [String: Any?]

        // MARK: - Operations

        public protocol GraphQLClientOperation: AnyObject {
          associatedtype Data: GraphQLSelectionSet
          static var operationString: String { get }
          static var requestString: String { get }
          static var operationIdentifier: String? { get }
          var variables: GraphQLMap? { get }
        }

        extension GraphQLClientOperation {
          public static var requestString: String { operationString }
          public static var operationIdentifier: String? { nil }
          public var variables: GraphQLMap? { nil }
        }

        public protocol GraphQLQuery: GraphQLClientOperation {}
        public protocol GraphQLMutation: GraphQLClientOperation {}
        public protocol GraphQLSubscription: GraphQLClientOperation {}

        // MARK: - Values that are sent

        public protocol GraphQLInputValue {}

        public struct GraphQLVariable: GraphQLInputValue {
          public let name: String
          public init(_ name: String) { self.name = name }
        }

        public protocol JSONEncodable: GraphQLInputValue {
          var jsonValue: Any { get }
        }

        extension Dictionary where Key == String, Value == JSONEncodable? {
          /// The values as JSONSerialization takes them.
          public var jsonObject: [String: Any] { compactMapValues { $0?.jsonValue }.filter { !($0.value is NSNull) } }
        }

        public protocol GraphQLMapConvertible: JSONEncodable {
          var graphQLMap: GraphQLMap { get }
        }

        extension GraphQLMapConvertible {
          public var jsonValue: Any { graphQLMap.jsonObject }
        }

        // MARK: - Values that are received

        public enum JSONDecodingError: Error {
          case couldNotConvert(value: Any, to: Any.Type)
        }

        public protocol JSONDecodable {
          init(jsonValue value: Any) throws
        }

        extension String: JSONDecodable, JSONEncodable {
          public init(jsonValue value: Any) throws { self = try converted(value, to: String.self) }
          public var jsonValue: Any { self }
        }

        extension Bool: JSONDecodable, JSONEncodable {
          public init(jsonValue value: Any) throws { self = try converted(value, to: Bool.self) }
          public var jsonValue: Any { self }
        }

        extension Int: JSONDecodable, JSONEncodable {
          public init(jsonValue value: Any) throws {
            self = try (value as? Double).flatMap { Int(exactly: $0) } ?? converted(value, to: Int.self)
          }
          public var jsonValue: Any { self }
        }

        extension Double: JSONDecodable, JSONEncodable {
          public init(jsonValue value: Any) throws {
            self = try (value as? Int).map { Double($0) } ?? converted(value, to: Double.self)
          }
          public var jsonValue: Any { self }
        }

        private func converted<Value>(_ value: Any, to type: Value.Type) throws -> Value {
          guard let value = value as? Value else { throw JSONDecodingError.couldNotConvert(value: value, to: type) }
          return value
        }

        extension RawRepresentable where RawValue == String {
          public init(jsonValue value: Any) throws {
            guard let known = Self(rawValue: try String(jsonValue: value)) else {
              throw JSONDecodingError.couldNotConvert(value: value, to: Self.self)
            }
            self = known
          }
          public var jsonValue: Any { rawValue }
        }

        extension Optional: GraphQLInputValue where Wrapped: JSONEncodable {}

        extension Optional: JSONEncodable where Wrapped: JSONEncodable {
          public var jsonValue: Any { map { $0.jsonValue } ?? NSNull() }
        }

        extension Array: GraphQLInputValue where Element: JSONEncodable {}

        extension Array: JSONEncodable where Element: JSONEncodable {
          public var jsonValue: Any { map { $0.jsonValue } }
        }

        // MARK: - Results

        public protocol GraphQLSelection {}

        public indirect enum GraphQLOutputType {
          case scalar(JSONDecodable.Type)
          case object([GraphQLSelection])
          case nonNull(GraphQLOutputType)
          case list(GraphQLOutputType)
        }

        public struct GraphQLField: GraphQLSelection {
          public let name: String
          public let type: GraphQLOutputType

          public init(_ name: String, arguments: [String: GraphQLInputValue]? = nil, type: GraphQLOutputType) {
            self.name = name
            self.type = type
          }
        }

        /// The selections of a value by the name of its type.
        public struct GraphQLTypeCase: GraphQLSelection {
          public let variants: [String: [GraphQLSelection]]
          public let `default`: [GraphQLSelection]

          public init(variants: [String: [GraphQLSelection]], default: [GraphQLSelection]) {
            self.variants = variants
            self.default = `default`
          }
        }

        public protocol GraphQLSelectionSet: Decodable {
          static var selections: [GraphQLSelection] { get }
          var snapshot: Snapshot { get }
          init(snapshot: Snapshot)
        }

        extension GraphQLSelectionSet {
          public init(from decoder: Decoder) throws {
            let members = try decoder.singleValueContainer().decode([String: ReceivedJSON].self)
            self.init(snapshot: try ReceivedJSON.snapshot(of: members, Self.selections))
          }
        }

        /// JSON as it is received, before the types of the fields are known.
        private enum ReceivedJSON: Decodable {
          case null
          case leaf(Any)
          case array([ReceivedJSON])
          case object([String: ReceivedJSON])

          init(from decoder: Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
              self = .null
            } else if let value = try? container.decode(Bool.self) {
              self = .leaf(value)
            } else if let value = try? container.decode(Int.self) {
              self = .leaf(value)
            } else if let value = try? container.decode(Double.self) {
              self = .leaf(value)
            } else if let value = try? container.decode(String.self) {
              self = .leaf(value)
            } else if let value = try? container.decode([ReceivedJSON].self) {
              self = .array(value)
            } else {
              self = .object(try container.decode([String: ReceivedJSON].self))
            }
          }

          static func snapshot(of members: [String: ReceivedJSON], _ selections: [GraphQLSelection]) throws -> Snapshot {
            var snapshot: Snapshot = [:]
            for selection in selections {
              if let field = selection as? GraphQLField, let value = members[field.name] {
                snapshot.updateValue(try value.value(of: field.type), forKey: field.name)
              } else if let types = selection as? GraphQLTypeCase {
                var chosen = types.default
                if case .leaf(let name)? = members["__typename"] { chosen = types.variants["\(name)"] ?? chosen }
                snapshot.merge(try Self.snapshot(of: members, chosen)) { $1 }
              }
            }
            return snapshot
          }

          private func value(of type: GraphQLOutputType) throws -> Any? {
            switch (self, type) {
            case (.null, .nonNull): throw JSONDecodingError.couldNotConvert(value: NSNull(), to: Any.self)
            case (.null, _): return nil
            case (_, .nonNull(let inner)): return try value(of: inner)
            case (.leaf(let value), .scalar(let leaf)): return try leaf.init(jsonValue: value)
            case (.array(let elements), .list(let element)): return try elements.map { try $0.value(of: element) }
            case (.object(let members), .object(let selections)): return try Self.snapshot(of: members, selections)
            default: throw JSONDecodingError.couldNotConvert(value: self, to: Any.self)
            }
          }
        }
        """#
}
