/** How payloads of webhooks are wrapped. */
import { Switch, Textarea } from '@mantine/core'

interface Wrapping {
  encodeData: boolean
  encryptData: boolean
  publicKey: string
}

interface WrappingFieldsProps {
  values: Wrapping
  onChange: (fields: Partial<Wrapping>) => void
}

export function WrappingFields({ values: { encodeData, encryptData, publicKey }, onChange }: WrappingFieldsProps) {
  return (
    <>
      <Switch
        label="Encode payloads"
        description="Send { encodedPayload }: the payload as base64."
        checked={encodeData}
        onChange={({ currentTarget }) => onChange({ encodeData: currentTarget.checked })}
      />
      <Switch
        label="Encrypt payloads"
        description="Send { encryptedData, encryptedKey, iv }, each as base64: the payload by AES-256-CBC, and the key of that by RSA-OAEP with SHA-256 under the public key."
        checked={encryptData}
        onChange={({ currentTarget }) => onChange({ encryptData: currentTarget.checked })}
      />
      {(encryptData || publicKey !== '') && (
        <Textarea
          label="Public key"
          description="RSA, at least 2048 bit: the base64 text of its PEM, without the lines around it."
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          value={publicKey}
          onChange={({ currentTarget }) => onChange({ publicKey: currentTarget.value })}
        />
      )}
    </>
  )
}
