/** Converts a file of answers of a hosted service to the records of an import. Keeps one organization in memory. */
import { type Answer, answerLines } from './lines.ts'
import { convertActivity, convertNotification, convertPreference } from './notices.ts'
import type { Organization } from './organization.ts'
import { type Converted, Output, objectOf } from './output.ts'
import { convertDomain, convertEndpoint, convertKeyConfig, leaveOutAnswer } from './settings.ts'
import {
  convertDocument,
  convertFolders,
  convertOrganization,
  type DocumentAccess,
  type ReadFolder,
} from './structure.ts'
import { convertThread } from './threads.ts'
import { Users } from './users.ts'

export interface ConvertOptions {
  documentAccess: DocumentAccess
  /** Grants that expire until then are left out. */
  nowSeconds: number
}

/** Yields the results of portions of lines; returns why the file is incomplete, if it is. */
export async function* convertAnswers(
  input: AsyncIterable<Uint8Array>,
  options: ConvertOptions,
): AsyncGenerator<Converted & { line: number }, string | undefined, undefined> {
  const output = new Output()
  const conversion = new Conversion(output, options)
  const lines = answerLines(input)
  for (;;) {
    const result = await lines.next()
    if (result.done === true) {
      conversion.closeOrganization()
      yield { line: 0, ...output.take() }
      return result.value
    }
    let line = 0
    for (const answer of result.value) {
      line = answer.line
      if ('fault' in answer) output.refuse(line, 'line', answer.fault.reason, answer.fault.message)
      else conversion.take(answer)
    }
    yield { line, ...output.take() }
  }
}

class Conversion {
  readonly #output: Output
  readonly #options: ConvertOptions
  readonly #users: Users
  #organization: Organization | undefined
  #folders: ReadFolder[] = []

  constructor(output: Output, options: ConvertOptions) {
    this.#output = output
    this.#options = options
    this.#users = new Users(output, options.nowSeconds)
  }

  take(answer: Answer): void {
    switch (answer.path) {
      case 'workspace/apikeyconfig/get':
      case 'workspace/apikeymetadata/get':
        return void convertKeyConfig(answer, this.#output)
      case 'workspace/domains/get':
        return void convertDomain(answer, this.#output)
      case 'workspace/advancedwebhook/endpoints/get':
        return void convertEndpoint(answer, this.#output)
      case 'organizations/get':
        this.closeOrganization()
        this.#organization = convertOrganization(answer, this.#output)
        return
      case 'organizations/folders/get':
      case 'organizations/documents/get':
      case 'users/get':
      case 'auth/permissions/get':
      case 'commentannotations/get':
      case 'notifications/get':
      case 'notifications/config/get':
      case 'activities/get':
        return void this.#takeInside(answer)
      default:
        return void leaveOutAnswer(answer, this.#output)
    }
  }

  /** Writes the records that waited for the end of the organization. */
  closeOrganization(): void {
    this.#closeFolders()
    if (this.#organization !== undefined) this.#users.finish(this.#organization)
    this.#organization = undefined
  }

  #takeInside(answer: Answer): void {
    const { line, path, within, item } = answer
    const organization = this.#organization
    const what = `${path} in ${within.organizationId}`
    if (organization === undefined || organization.id !== String(within.organizationId))
      return void this.#output.refuse(line, what, 'out_of_order', 'the line must follow the line of its organization')
    if (!organization.isMoved)
      return void this.#output.refuse(line, what, 'parent_not_moved', 'its organization is refused')
    if (path === 'organizations/folders/get') {
      const folder = objectOf(item, line, path, this.#output)
      if (folder !== undefined) this.#folders.push({ line, item: folder })
      return
    }
    this.#closeFolders()
    if (path === 'organizations/documents/get')
      convertDocument(answer, organization, this.#options.documentAccess, this.#output)
    else if (path === 'users/get') this.#users.take(answer, organization)
    else if (path === 'commentannotations/get') convertThread(answer, organization, this.#output)
    else if (path === 'notifications/get') convertNotification(answer, organization, this.#output)
    else if (path === 'notifications/config/get') convertPreference(answer, organization, this.#output)
    else if (path === 'activities/get') convertActivity(answer, organization, this.#output)
    else this.#users.takePermissions(answer, organization)
  }

  /** Folders are listed in any order. They are written parents first, when all of them were read. */
  #closeFolders(): void {
    if (this.#folders.length > 0 && this.#organization !== undefined)
      convertFolders(this.#folders, this.#organization, this.#output)
    this.#folders = []
  }
}
