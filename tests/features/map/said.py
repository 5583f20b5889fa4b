"""What people say at the start of a session: about the work before it (a failure), or as a new request.

The first two lists were made before the rules, the later two after them, to see how far the rules carry. What names a
new symptom in words of its own is not recognised, such as 今の変更で画面が真っ白になった.
"""

FAILED = """
やり直してください
やり直し
もう一度
もう一度お願いします
もう一度やって
違う
違います
それは違う
違います。検証は要りません
さっきの修正が違う
さっきの修正でエラーになる
さっきの変更、動かない
さっきのやつ、バグってる
さっきの変更でテストが落ちる
先ほどの実装がおかしい
前の修正が間違っている
前回の変更で壊れた
今の修正だと落ちる
そうじゃない
そうじゃない、ログイン画面の方です
動かない
動きません
動かないんだけど
まだ動かない
まだエラーになる
まだエラーが出ます
まだ直っていない
やっぱり動かない
エラーになる
落ちる
おかしい
なんか変だ
なんかおかしいです
バグってる
ダメ
だめでした
元に戻して
直ってない
全然違う
redo
redo this please
again
again please
try again
wrong
Wrong!
that's wrong
No, that's wrong
No.
not right
this is not right
that is not what I asked for
doesn't work
it doesn't work
That did not work.
it still doesn't work
still broken
broken
it's broken
it crashes
crashes again
still the same error
the parcel fee is still wrong, it does not work again
it still crashes after your change
your fix doesn't work
your last change broke the login
the change you made is wrong
the tests fail after your edit
same error again
revert that
undo your change
that broke the build
not working
"""

ORDINARY = """
違う色のボタンを追加して
違う言語でも表示できるようにして
言語の違いを吸収する層を追加
パスワードが違うときのメッセージを赤くして
パスワードが間違っているときの表示を変更
間違ったパスワードを数える
もう一度送信するボタンを追加して
もう一度ログインを求める画面を作って
やり直しボタンを追加して
元に戻す機能をエディタに追加
取り消し線のスタイルを追加して
注文の取り消しを実装して
最初から読み込む設定を追加
ログインのバグを修正して
空のパスワードで落ちるのを直して
エラーが出る条件を調べて
エラーになる入力の一覧を作成
動かないときのヘルプを表示して
サーバーが落ちたときに通知を送る
変だと思われる取引を検出する
まだ登録していないユーザーに案内を出して
まだ動かない機能を隠すフラグを追加
前の画面に戻るボタンを追加
前のページが違うときはリダイレクトする
さっき追加したボタンに色を付けて
壊れたリンクを検出する
おかしな文字を取り除く処理を追加
駄目な入力を弾く
ダメージ計算を追加して
だめ押しの確認ダイアログを出す
バグ報告フォームを作って
wrong password message should be red
No results page: add a hint
No cache headers on static files, please
no longer send emails to closed accounts
handle wrong passwords
show "wrong answer" in red
add an undo button to the editor
add a redo command to the editor
redo the layout of the settings page in CSS grid
add a retry button that tries the payment again
ask for the password again after ten minutes
send the mail again when the first try fails
the app crashes when the password is empty
log crashes to a file
report broken links
fix the broken link on the home page
fix the bug in the login form
it is not right to left aware: add RTL support
detect when the printer does not work
a user who is not right-handed should see mirrored controls
show a page when the payment doesn't work
still images should be cached
add your last order to the account page
show the previous version of a document
show what went wrong in the error dialog
undo the discount when an item is removed
roll back the transaction when the insert fails
support partial updates
explain why the build is not working on Windows
write a test for the wrong currency
start over button for the quiz
"""

FAILED_LATER = """
さっきのコードだとログインできない
さっき直してもらったところがまだおかしい
その修正では動きませんでした
うーん、違うな
いや、違います
違うよ
そうではなくて、CSVの方
やっぱりダメだ
まだ落ちます
まだテストがエラーになる
前の実装が壊れています
また同じエラーが出た
もう一回
もう一回お願い
最初からやり直して
まだ違う
うまく動かない
動いてない
全く動きません
nope
no, wrong file
it failed again
It's still failing
that didn't help
this does not work at all
this is still not right
you broke the search
your patch crashes on startup
the fix you made doesn't work
please undo your last commit
still not working, same stack trace
that is incorrect
that's not right, the fee is 300
Wrong. The total must include tax.
start over
do it again
the last change broke checkout
Sorry, but it is broken again
not fixed
"""

ORDINARY_LATER = """
動かないテストを削除して
エラーになったときにリトライする
間違いを指摘する機能
もう一度だけ再試行する処理を入れて
おかしい値を検証で弾いて
変な改行を取り除く
落ちるテストをスキップする
壊れた画像の代わりに既定の画像を出す
注文を最初からやり直せるようにして
違うユーザーとしてログインできるようにする
在庫が足りないときはエラーにする
前の月との違いを表示する
元に戻すショートカットを追加
ログインが動かない原因を調べて
まだ使われている関数か調べて
取り消しのAPIはどこ
バグの多いファイルはどれ
駄目な理由を表示する
さっきのボタンを青くして
動作がおかしいと報告されたので調査して
retry the request when it fails
what happens when the token is wrong
no-op when the list is empty
rename wrongPassword to badPassword
the upload fails for files over 2 GB
the search page is broken on mobile
why does the test fail on CI
play the sound again on tap
count failed logins
mark broken rows in the import
add revert support to the history view
don't crash on empty input
the date is wrong in the footer
login doesn't work with uppercase names
no tests for the parser: write some
fix typos in the error messages
add a bug report template
undo stack for the canvas
the user can start over after a wrong answer
make the previous fix configurable
"""
