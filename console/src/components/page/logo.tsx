/** The logo and the name of the product. */
import { Group, Text } from '@mantine/core'
import icon from '../../icon.svg'

export function Logo() {
  return (
    <Group gap="xs" wrap="nowrap">
      <img src={icon} width={24} height={24} alt="" />
      <Text fw={600}>Commonhold</Text>
    </Group>
  )
}
