/** A fast receiver of webhooks in a process of its own: answers 204, and on GET how many messages it has got; under `/hang` it never answers. */
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
