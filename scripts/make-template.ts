/** Runs after installation: creates the template of an empty store, which the first start copies. An argument names another folder. */
import { makeTemplate } from '#platform/db/template.ts'

process.stdout.write(`template: ${await makeTemplate(process.argv[2])}\n`)
