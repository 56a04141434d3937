import { Center, Loader } from '@mantine/core';

export function Busy() {
  return (
    <Center h={120}>
      <Loader size="sm" />
    </Center>
  );
}
