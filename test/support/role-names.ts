export function namesOf(roles: readonly { readonly identifier: string }[]): string {
  return roles
    .map(({ identifier }) => identifier)
    .sort()
    .join();
}
