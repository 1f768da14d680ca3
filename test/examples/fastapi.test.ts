/**
 * The example for FastAPI, installed as its README says, keeps the promise of all examples.
 * docs/guides/check-in-your-framework.md shows its code.
 */
import path from 'node:path'
import { run, whyMissing } from '#testing/processes/toolchain.ts'
import { describeExample } from './promise.ts'
import { copyOf, startExample } from './start.ts'

async function start() {
  const folder = copyOf('fastapi')
  const python = path.join(folder, '.venv/bin/python')
  const missing =
    (await whyMissing('Python', run('python3', ['-m', 'venv', '.venv'], { cwd: folder }))) ??
    (await whyMissing('PyPI', run(python, ['-m', 'pip', 'install', '-r', 'requirements.txt'], { cwd: folder })))
  return missing ?? startExample(folder, python, '-m', 'uvicorn', 'main:app', '--port', '0')
}

describeExample('FastAPI', await start(), { folder: 'fastapi', readsEncodedSlashes: false, repeatsCalls: false })
