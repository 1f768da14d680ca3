/** A fast webhook receiver, run as a separate process: responds with 204, to GET with the number of messages, and under `/hang` never. */
import { createServer } from 'node:http'

let received = 0
createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(received))
    return
  }
  request.resume()
  if (request.url?.startsWith('/hang')) return
  request.on('end', () => {
    received++
    response.writeHead(204).end()
  })
}).listen(Number(process.env.PORT), '127.0.0.1')
