/** Authentication by OAuth: trades the code of the provider for a session. */
export async function handle(code: string): Promise<string> {
  const answer = await fetch("/token", { method: "POST", body: code });
  return (await answer.json()).session;
}
