/** The example for Next.js, installed and built as its README says, keeps the promise of all examples. docs/guides/check-in-your-framework.md shows its code. */
import path from 'node:path'
import { run } from '#testing/processes/toolchain.ts'
import { describeExample } from './promise.ts'
import { copyOf, npmInstall, startExample } from './start.ts'

async function start() {
  const folder = copyOf('nextjs')
  const missing = await npmInstall(folder)
  if (missing !== undefined) return missing
  const next = path.join(folder, 'node_modules/next/dist/bin/next')
  await run(process.execPath, [next, 'build'], {
    cwd: folder,
    env: { PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  })
  return startExample(folder, process.execPath, next, 'start', '--hostname', '127.0.0.1')
}

describeExample('Next.js', await start(), { folder: 'nextjs', readsEncodedSlashes: true, repeatsCalls: true })
