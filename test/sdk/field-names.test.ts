/** A setting has one name for people: events and the comparison of two keys use the label of its field in the console. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'vitest'
import { COMMENT_EVENT_TYPES } from '#contract/comments/triggers.ts'
import { MAIL_KINDS } from '#contract/keys/service-configs.ts'
import { fieldValueText } from '#sdk/event-sentences/changes.ts'
import { fieldInWords, labelOf, pathInWords } from '#sdk/event-sentences/field-names.ts'
import { ROOT } from '../../scripts/root.ts'

const LABELS = {
  defaultDocumentAccessType: 'Default access type',
  defaultAccessRole: 'Default access role',
  requireKnownResources: 'Require known resources',
  requireAutoOrgUser: 'Make users members when they sign in',
  userSharing: 'Sharing by users',
  userTokenLifetimeSeconds: 'Lifetime of user tokens',
  useEmailService: 'Send e-mail',
  fromEmail: 'From e-mail',
  fromCompany: 'From company',
  documentUrl: 'Page of a document',
  commentTemplateId: 'Template of replies',
  tagTemplateId: 'Template of mentions',
  rawNotificationUrl: 'URL for raw notifications',
  processedNotificationUrl: 'URL for processed notifications',
  encodeData: 'Encode payloads',
  encryptData: 'Encrypt payloads',
  publicKey: 'Public key',
  usePermissionProvider: 'Ask the permission provider',
  useNotificationService: 'Notify of comments',
  maxActivities: 'Comments that fill it',
  immutable: 'Immutable',
}

const sources = globSync('console/src/**/*.tsx', { cwd: ROOT })
  .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  .join('\n')

describe('the name of a sent item', () => {
  for (const type of [...Object.keys(MAIL_KINDS), ...COMMENT_EVENT_TYPES].filter((type) => type.includes('.')))
    it(`${type} is in words`, () => assert.doesNotMatch(labelOf(type), /[._]/))

  it('is in words, below the settings to which it belongs', () => {
    const path = 'emailServiceConfig.triggers.permission.added'
    assert.equal(pathInWords(path), 'e-mail: sent when: access was granted')
    assert.equal(
      pathInWords('webhookServiceConfig.triggers.comment.added'),
      'basic webhooks: sent when: comment: added',
    )
  })
})

describe('the name of a setting', () => {
  for (const [field, label] of Object.entries(LABELS))
    it(`${field} is the label of its field in the console`, () => {
      assert.ok(sources.includes(`label="${label}"`), `no field is labelled ${label}`)
      assert.equal(fieldInWords(field).toLowerCase(), label.toLowerCase())
    })

  it('has no unit, because its value has one', () => {
    assert.equal(fieldInWords('delaySeconds'), 'delay')
    assert.equal(fieldValueText('userTokenLifetimeSeconds', 172_800), '2 days')
    assert.equal(fieldValueText('maxActivities', 10), '10')
  })
})
