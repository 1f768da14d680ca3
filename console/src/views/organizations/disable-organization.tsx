/** Asks before an organization is closed to everybody. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { OrganizationRecord } from '#sdk/generated/operations.ts'
import { Inside } from './inside.tsx'

interface DisableOrganizationProps {
  organization: OrganizationRecord
  onConfirm: () => void
  onClose: () => void
}

export function DisableOrganization({ organization, onConfirm, onClose }: DisableOrganizationProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <>
          Disable <bdi>{organization.organizationName ?? organization.id}</bdi>
        </>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Inside organizationId={organization.id} what="are closed" />
        <Text size="sm">
          Nobody has access to anything in it then, whatever was granted. Nothing is lost: everything is as before when
          it is enabled again.
        </Text>
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            data-autofocus
            onClick={() => {
              onConfirm()
              onClose()
            }}
          >
            Disable
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
