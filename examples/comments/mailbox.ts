/** A mail server that keeps all mails in memory, to look at what people get. */
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface Mail {
  to: string
  subject: string
  html: string
}

/** Listens on a port of this machine, and returns the list to which mails are added, the newest first. */
export function openMailbox(port: number): Mail[] {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      const keep = async () => {
        const { subject = '', html = '' } = await PostalMime.parse(await buffer(stream))
        mails.unshift({ to: envelope.rcptTo.map(({ address }) => address).join(', '), subject, html })
        done()
      }
      keep().catch(done)
    },
  })
  server.on('error', (error) => console.error(error.message))
  server.listen(port, '127.0.0.1')
  return mails
}
