/** The baseline of the measurements: bare `node:http` that parses the same body and sends a response of the same size. */
import { createServer } from 'node:http'

const RESPONSE = JSON.stringify({ result: { status: 'success', message: 'Permissions added successfully.' } })

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString('utf8'))
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': RESPONSE.length })
    response.end(RESPONSE)
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1')
