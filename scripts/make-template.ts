/** Runs after installation: creates the template of an empty store, which the first start copies. */
import { makeTemplate } from '#platform/db/template.ts'

const NODE_MIN = 26

process.stdout.write(`template: ${await makeTemplate()}\n`)

// npm warns about each package that the Node of npm itself is too old for.
const [, ofNpm] = /node\/v(\d+)/.exec(process.env.npm_config_user_agent ?? '') ?? []
if (Number(ofNpm) < NODE_MIN)
  process.stdout.write(
    `Warnings EBADENGINE are about Node ${ofNpm}, which runs npm. Commonhold runs on Node ${process.versions.node}, which was installed with it: nothing needs to be done.\n`,
  )
