/** The floor that figures are compared with: bare `node:http` that parses the same body and answers as much. */
import { createServer } from 'node:http'

const ANSWER = JSON.stringify({ result: { status: 'success', message: 'Permissions added successfully.' } })

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString('utf8'))
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': ANSWER.length })
    response.end(ANSWER)
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1')
