import NIOPosix
import UserPools

/// Sends what waits in the outbox, on a thread of its own and never on the path of an answer: at once, and after a failure
/// again, later each time.
struct MailSender: Sendable {
    /// Hands a message over. Waits; called on a thread that may.
    let transport: @Sendable (_ message: MailMessage, _ date: String) throws(MailError) -> Void
    let from: String
    /// The pools, whose clock is that of the messages.
    let pools: UserPools
    let log: Log

    /// Messages that are sent in one go.
    private static let countMax = 50

    /// Sends until the task is cancelled.
    ///
    /// - Parameter schedule: Schedules the rounds.
    func run(schedule: some Clock<Duration> = ContinuousClock()) async {
        repeat { await sendDue() } while (try? await schedule.sleep(for: .seconds(2))) != nil
    }

    /// Sends what is due now, once each.
    func sendDue() async {
        for message in await pools.dueMessages(limit: Self.countMax) {
            await send(message)
            if Task.isCancelled { return }
        }
    }

    private func send(_ message: UserPools.DueMessage) async {
        let mail = MailMessage(
            from: from, to: message.recipient, subject: message.subject, text: message.text, id: message.id)
        let date = MailDate.text(pools.nowSeconds)
        let error: MailError? = await withCheckedContinuation { continuation in
            NIOThreadPool.singleton.submit { [transport] _ in
                do throws(MailError) {
                    try transport(mail, date)
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let error {
            log(.warning, "A message could not be sent.", ["recipient": message.recipient, "cause": error.message])
        }
        await pools.noteDelivery(of: message.id, error: error?.message, isFinal: error?.isTemporary == false)
    }
}
