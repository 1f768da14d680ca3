/** The fields that encode or encrypt webhook payloads. */
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
        description="Sends { encodedPayload }: the payload in base64."
        checked={encodeData}
        onChange={({ currentTarget }) => onChange({ encodeData: currentTarget.checked })}
      />
      <Switch
        label="Encrypt payloads"
        description="Sends { encryptedData, encryptedKey, iv }, each in base64: the payload encrypted with AES-256-CBC, and its key with RSA-OAEP and SHA-256 under the public key."
        checked={encryptData}
        onChange={({ currentTarget }) => onChange({ encryptData: currentTarget.checked })}
      />
      {(encryptData || publicKey !== '') && (
        <Textarea
          label="Public key"
          description="RSA with at least 2048 bits: the base64 text of the PEM, without the first and the last line."
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
