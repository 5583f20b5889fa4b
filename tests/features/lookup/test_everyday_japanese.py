"""Ten requests in the words of Japanese commits find their module, and no file that is named like their verbs."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from tests.conftest import isolate, make_state_dirs

TREE = {
    "src/plugins/hotkeyPlugin.ts": """
        export class HotkeyManager {
          /** Register a combination of keys, such as shift and a digit. */
          register(action: HotkeyAction, combination: string) {
            if (this.registered.has(combination)) throw new Error("hotkey is taken");
            this.registered.set(combination, action);
          }
        }
    """,
    "src/components/Dialog/DictionaryManageDialog.vue": """
        <template><q-btn @click="resetWord">reset</q-btn></template>
        <script setup lang="ts">
        const resetWord = (id: string) => { userDict.value[id] = savedDict.value[id]; };
        const deleteWord = (id: string) => { delete userDict.value[id]; };
        </script>
    """,
    "src/components/Dialog/UpdateNotificationDialog.vue": """
        <template><q-dialog v-model="isOpen"><q-btn @click="closeUpdateNotification">close</q-btn></q-dialog></template>
        <script setup lang="ts">
        const closeUpdateNotification = () => { isOpen.value = false; };
        </script>
    """,
    "src/store/audioPlayer.ts": """
        export const audioPlayerStore = createStore({
          /** Move the highlight to where the audio is being played. */
          highlightPlaybackPosition(position: number) { this.highlighted = phraseAt(position); },
        });
    """,
    "src/store/preset.ts": """
        export const presetStore = createStore({
          registerDefaultPreset(preset: Preset) { this.defaultPresets.set(preset.key, preset); },
          deletePreset(key: string) { this.presets.delete(key); },
        });
    """,
    "src/sing/viewHelper.ts": """
        export const ZOOM_X_MIN = 0.15;
        export const ZOOM_X_MAX = 2;
        /** Keep the horizontal zoom within its limits. */
        export const clampZoomX = (zoom: number) => Math.min(ZOOM_X_MAX, Math.max(ZOOM_X_MIN, zoom));
    """,
    "src/components/Settings/AccountManageSettings.vue": """
        <template>
          <v-dialog v-model="account_delete_confirm"><v-btn @click="deleteAccount">delete</v-btn></v-dialog>
        </template>
        <script lang="ts">
        async function deleteAccount() { await Users.deleteUser(); }
        </script>
    """,
    "server/app/metadata/ThumbnailGenerator.py": '''
        class ThumbnailGenerator:
            """Makes the thumbnails of a recording."""

            def generate(self, recorded_video):
                """Write the tiles of the seek bar and the representative thumbnail."""
                return self._tile(recorded_video)
    ''',
    "server/app/routers/ReservationsRouter.py": '''
        async def GetReservations():
            """List the reservations of recordings."""
            reservations = await edcb.sendEnumReserve()
            if reservations is None:
                raise HTTPException(status_code=500, detail="Failed to get reservations")
            return reservations
    ''',
    "src/utils/CommentUtils.ts": """
        export class CommentUtils {
          /** Tell whether a comment is muted: by its keywords, its color or its user. */
          static isMutedComment(comment: IComment, settings: MuteSettings): boolean {
            return settings.mute_colored_comments && comment.color !== "#FFFFFF";
          }
        }
    """,
    "src/backend/packageManager.ts": """
        export async function extract(file: string) {
          const files = await unzip(file);
          if (files.length === 0) throw new Error("パッケージの展開に失敗しました。空き容量を確認してください");
          return files;
        }
    """,
    # Neighbours: their names are what the verbs of the requests mean, or they are big and know every word.
    "src/changes.ts": "export const changes = []; export function change(one: Change) { changes.push(one); }",
    "src/add.ts": "export function add(left: number, right: number) { return left + right; }",
    "src/fix.ts": "export function fix(value: number) { return Number(value.toFixed(2)); }",
    "src/remove.ts": "export function remove(list: unknown[], item: unknown) { list.splice(list.indexOf(item), 1); }",
    "src/problem.ts": "export class Problem extends Error { problem = true; }",
    "src/improve.ts": "export function improve(quality: Quality) { return { ...quality, improved: true }; }",
    "src/display.ts": "export function display(text: string) { document.body.textContent = text; }",
    "src/error.ts": "export function showError(error: Error) { console.error(error.message); }",
    "src/move.ts": "export function move(item: Item, to: Position) { item.position = to; }",
    "src/limit.ts": "export function limit(count: number) { return Math.min(count, 100); }",
    "src/support.ts": "export function supports(feature: string) { return feature in window; }",
    "src/correct.ts": "export function isCorrect(answer: string, expected: string) { return answer === expected; }",
    "src/store/audio.ts": """
        export const audioStore = createStore({
          loadText(text: string) { this.audioItems = text.split("。"); },
          generateAudio(item: AudioItem) { return engine.synthesis(item.query); },
        });
    """,
    "src/components/Talk/AudioCell.vue": """
        <script setup lang="ts">
        const selectText = () => { textField.value.select(); };
        </script>
    """,
    "src/settings.ts": "export const settings = {\n"
    + "".join(
        f"          {word}_{part}: true,\n"
        for word in ("default", "show", "save", "register", "delete", "update", "fix", "change", "close", "reset")
        for part in ("dialog", "button", "position", "color", "error", "list", "audio", "recording", "limit", "key")
    )
    + "        };",
}
REQUESTS = {
    "ホットキーでshift+数字を登録時のエラーをなくす": "src/plugins/hotkeyPlugin.ts",
    "辞書のリセットボタンの挙動を修正する": "src/components/Dialog/DictionaryManageDialog.vue",
    "アップデートのお知らせダイアログが閉じられない問題を修正": "src/components/Dialog/UpdateNotificationDialog.vue",
    "再生位置のハイライトが動かなかったのを修正": "src/store/audioPlayer.ts",
    "デフォルトプリセットの再登録が機能してないバグを修正": "src/store/preset.ts",
    "ソング：水平方向のズームの上限と下限を変更": "src/sing/viewHelper.ts",
    "アカウント削除ダイヤログのデザインを改善": "src/components/Settings/AccountManageSettings.vue",
    "録画で代表サムネイルが正常に生成されない問題を修正": "server/app/metadata/ThumbnailGenerator.py",
    "録画予約一覧の取得に失敗する問題を修正": "server/app/routers/ReservationsRouter.py",
    "色が設定されていないコメントまでミュートされてしまう不具合を修正": "src/utils/CommentUtils.ts",
}


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    base: Path = tmp_path_factory.mktemp("everyday")
    root = base / "editor"
    for path, text in TREE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("\n".join(line.removeprefix("        ") for line in text.splitlines()) + "\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(base / "own"), patch)
        project = open_workspace(root, embed__model="static")
        project.sync_index()
    with project:
        yield project


@pytest.mark.parametrize(("request_text", "module"), REQUESTS.items())
def test_an_everyday_request_finds_its_module_first(editor: Project, request_text: str, module: str):
    assert editor.search(request_text).forest_hits[0].path == module
    assert editor.context_bundle(request_text).context[0].path == module


@pytest.mark.parametrize(
    "wrapping", ["{}", "Error: {}", "[2026/01/12 12:34:56.789] ERROR:    {}", "「{}」と表示される"]
)
def test_a_pasted_message_leads_to_the_line_it_comes_from(editor: Project, wrapping: str):
    pasted = wrapping.format("パッケージの展開に失敗しました。空き容量を確認してください")
    hit = editor.search(pasted).forest_hits[0]
    assert (hit.path, hit.symbol) == ("src/backend/packageManager.ts", "extract")
    assert hit.start_line <= 4 <= hit.end_line
    assert editor.context_bundle(pasted).context[0].path == hit.path
