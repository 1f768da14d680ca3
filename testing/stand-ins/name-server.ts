/** A name server on this machine that answers questions for TXT records over UDP (RFC 1035). */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { cleanUp } from '../clean-up.ts'

const HEADER_BYTES = 12
const TXT = 16
const NAME_ERROR = 3

export interface NameServer {
  /** The value for `DNS_SERVERS`. */
  address: string
  /** The TXT records of each name. Other names do not exist. */
  records: Map<string, string[]>
  /** Whether it answers at all. */
  isSilent: boolean
}

export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  const server: NameServer = { address: '', records: new Map(), isSilent: false }
  socket.on('message', (question, { port, address }) => {
    if (!server.isSilent) socket.send(answerTo(question, server.records), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  server.address = `127.0.0.1:${socket.address().port}`
  cleanUp(() => {
    socket.close()
  })
  return server
}

function answerTo(question: Buffer, records: NameServer['records']): Buffer {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = question.readUInt8(at); length > 0; length = question.readUInt8(at)) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const end = at + 5
  const isTxt = question.readUInt16BE(at + 1) === TXT
  const found = records.get(labels.join('.').toLowerCase())
  const answers = isTxt ? (found ?? []) : []
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt16BE(question.readUInt16BE(0), 0)
  header.writeUInt16BE(0x8180 | (found === undefined ? NAME_ERROR : 0), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(answers.length, 6)
  return Buffer.concat([header, question.subarray(HEADER_BYTES, end), ...answers.map(recordOf)])
}

/** A record for the name of the question. Each string of a record has at most 255 bytes. */
function recordOf(text: string): Buffer {
  const strings = (text.match(/.{1,255}/gs) ?? ['']).map((part) => {
    const bytes = Buffer.from(part, 'latin1')
    return Buffer.concat([Buffer.of(bytes.length), bytes])
  })
  const data = Buffer.concat(strings)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
  head.writeUInt16BE(TXT, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(0, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
