/** Authentication by name and password. OAuth is handled elsewhere. */
export function handle(name: string, password: string): boolean {
  return name !== "" && password !== "";
}
