/**
 * Runs after installation: `npx commonhold` runs the command line of this checkout, with the Node that is installed with it. An
 * argument names another folder.
 */
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './root.ts'

const EXECUTABLE = 0o755

const command = path.resolve(process.argv[2] ?? ROOT, 'node_modules/.bin/commonhold')
writeFileSync(command, `#!/bin/sh\nexec "$(dirname "$0")/node" "$(dirname "$0")/../../cli/main.ts" "$@"\n`)
chmodSync(command, EXECUTABLE)
if (process.platform === 'win32') writeFileSync(`${command}.cmd`, '@"%~dp0node" "%~dp0..\\..\\cli\\main.ts" %*\r\n')
