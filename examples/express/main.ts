/** Starts the app on `PORT`, 3000 by default, for this machine alone. */
import type { AddressInfo } from 'node:net'
import { app } from './app.ts'

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
