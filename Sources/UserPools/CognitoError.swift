/// Why an operation of Cognito's fails: the name of the exception and its message, as they stand in the answer
/// (reference: auth, "Errors").
public struct CognitoError: Error, Sendable, Hashable {
    /// The exception's name, such as `NotAuthorizedException`.
    public var name: String
    /// What went wrong; nil for exceptions without a message.
    public var message: String?

    /// An exception with its message.
    public init(_ name: String, _ message: String?) { (self.name, self.message) = (name, message) }

    /// The status of the answer: 500 when the server is at fault.
    public var status: Int { name == "InternalErrorException" ? 500 : 400 }
}

extension CognitoError {
    static func notAuthorized(_ message: String) -> Self { Self("NotAuthorizedException", message) }
    static func invalidParameter(_ message: String) -> Self { Self("InvalidParameterException", message) }
    static func resourceNotFound(_ message: String) -> Self { Self("ResourceNotFoundException", message) }
    static func invalidPassword(_ message: String) -> Self { Self("InvalidPasswordException", message) }
    static func aliasExists(_ attribute: String) -> Self {
        Self("AliasExistsException", "An account with the given \(attribute) already exists.")
    }

    static let wrongCredentials = notAuthorized("Incorrect username or password.")
    static let userDoesNotExist = Self("UserNotFoundException", "User does not exist.")
    static let combinationNotFound = Self("UserNotFoundException", "Username/client id combination not found.")
    static let userIsDisabled = notAuthorized("User is disabled.")
    static let userIsNotConfirmed = Self("UserNotConfirmedException", "User is not confirmed.")
    static let resetRequired = Self("PasswordResetRequiredException", "Password reset required for the user")
    static let codeMismatch = Self(
        "CodeMismatchException", "Invalid verification code provided, please try again.")
    static let expiredCode = Self("ExpiredCodeException", "Invalid code provided, please request a code again.")
    static let wrongChallengeCode = Self("CodeMismatchException", "Invalid code or auth state for the user.")
    static let limitExceeded = Self(
        "LimitExceededException", "Attempt limit exceeded, please try after some time.")
    static let tooManyRequests = Self("TooManyRequestsException", "Too many requests")
    static let sessionExpired = notAuthorized("Invalid session for the user, session is expired.")
    static let sessionUsed = notAuthorized("Invalid session for the user, session can only be used once.")
    static let deviceDoesNotExist = resourceNotFound("Device does not exist.")
    static let softwareTokenIsOff = Self(
        "SoftwareTokenMFANotFoundException", "Software token MFA is not enabled for this user pool.")
    static let groupNotFound = resourceNotFound("Group not found.")
    static let internalError = Self("InternalErrorException", "Something went wrong")

    static func poolDoesNotExist(_ id: String) -> Self { resourceNotFound("User pool \(id) does not exist.") }
    static func clientDoesNotExist(_ id: String) -> Self { resourceNotFound("User pool client \(id) does not exist.") }
    static func poolHasNoClient(_ id: String) -> Self {
        resourceNotFound("User pool \(id) has no client. Add one to its 'clients' in the configuration.")
    }
    static func missingParameter(_ name: String) -> Self { invalidParameter("Missing required parameter \(name)") }
}
