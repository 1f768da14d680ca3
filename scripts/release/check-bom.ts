/** Validates the bill of materials against the schema of CycloneDX, with a validator that is installed apart from the other packages. */
import { createRequire } from 'node:module'
import path from 'node:path'

/** What is used of `@cyclonedx/cyclonedx-library`, which the checkout does not have. */
interface Library {
  Spec: { Version: Record<string, string> }
  Validation: { JsonStrictValidator: new (version: string) => { validate(text: string): Promise<object[] | null> } }
}

/** Throws if the bill has a fault. `tools` is the folder in which the validator is installed. */
export async function checkBom(tools: string, bom: string): Promise<void> {
  const load = createRequire(path.join(tools, 'package.json'))
  const { Spec, Validation } = load('@cyclonedx/cyclonedx-library') as Library
  const { specVersion } = JSON.parse(bom) as { specVersion: string }
  const version = Object.values(Spec.Version).find((known) => known === specVersion)
  if (version === undefined) throw new Error(`the validator does not know CycloneDX ${specVersion}`)
  const faults = await new Validation.JsonStrictValidator(version).validate(bom)
  if (faults !== null) throw new Error(`the bill of materials is not valid: ${JSON.stringify(faults.slice(0, 5))}`)
}
