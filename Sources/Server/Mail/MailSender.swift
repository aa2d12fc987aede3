import NIOPosix
import UserPools

/// Sends what waits in the outbox, on a thread of its own and never on the path of an answer: at once, and after a failure
/// again, later each time.
struct MailSender: Sendable {
    let transport: MailTransport
    let from: String
    let service: UserPoolService
    let log: Log

    /// Messages that are sent in one go.
    private static let countMax = 50

    /// Sends until the task is cancelled.
    func run() async {
        repeat {
            for message in await service.pools.dueMessages(limit: Self.countMax) {
                await send(message)
                if Task.isCancelled { return }
            }
        } while (try? await Task.sleep(for: .seconds(2))) != nil
    }

    private func send(_ message: UserPools.DueMessage) async {
        let mail = MailMessage(
            from: from, to: message.recipient, subject: message.subject, text: message.text, id: message.id)
        let date = MailDate.text(Moment.now.seconds)
        let error: MailError? = await withCheckedContinuation { continuation in
            NIOThreadPool.singleton.submit { [transport] _ in
                do throws(MailError) {
                    try transport.send(mail, date: date)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let error {
            log(.warning, "A message could not be sent.", ["recipient": message.recipient, "cause": error.message])
        }
        await service.pools.noteDelivery(of: message.id, error: error?.message, isFinal: error?.isTemporary == false)
    }
}
