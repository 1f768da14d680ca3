/** Runs after installation: creates the template of an empty store, which the first start copies. */
import { makeTemplate } from '#platform/db/template.ts'

process.stdout.write(`template: ${await makeTemplate()}\n`)
