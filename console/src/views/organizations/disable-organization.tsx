/** Confirms the disabling of an organization. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { OrganizationRecord } from '#sdk/generated/operations.ts'
import { ProductionNote } from '../../components/page/environment.tsx'
import { PermittedButton } from '../../components/permitted/permitted-button.tsx'
import { shownName } from '../../shown-name.ts'
import { OrganizationContents } from './contents.tsx'

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
          Disable <bdi>{shownName(organization.organizationName, organization.id)}</bdi>
        </>
      }
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <ProductionNote />
        <OrganizationContents organizationId={organization.id} what="become inaccessible" />
        <Text size="sm">
          While it is disabled, nobody has access to anything in it, regardless of grants. No data is lost: access is
          the same as before once you enable it again.
        </Text>
        <Group justify="end">
          {/* A second Enter must not disable. */}
          <Button variant="default" data-autofocus onClick={onClose}>
            Cancel
          </Button>
          <PermittedButton
            needs="organizations.disable"
            color="red"
            onClick={() => {
              onConfirm()
              onClose()
            }}
          >
            Disable
          </PermittedButton>
        </Group>
      </Stack>
    </Modal>
  )
}
