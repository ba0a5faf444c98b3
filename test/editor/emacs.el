;;; Uses the language server as somebody at Emacs would -*- lexical-binding: t -*-
;; What is seen is written to seen.json.

(setq eglot-sync-connect 60
      eglot-connect-timeout 60)

(defun wait-for (what condition)
  (with-timeout (30 (error "This did not happen: %s" what))
    (while (not (funcall condition))
      (accept-process-output nil 0.05))))

(defun go-to (text)
  (goto-char (point-min))
  (let ((case-fold-search nil)) (search-forward text))
  (goto-char (match-beginning 0)))

(defun findings ()
  (mapcar (lambda (found)
            (list (flymake-diagnostic-text found)
                  (buffer-substring-no-properties (flymake-diagnostic-beg found)
                                                  (flymake-diagnostic-end found))))
          (flymake-diagnostics)))

(defun use-server ()
  (let (seen)
    (find-file "wind.objective.toml")
    ;; Eglot connects after the command that visits the file; there are no commands here.
    (run-hooks 'post-command-hook)
    (wait-for "connection" #'eglot-current-server)
    (push (cons 'mode (symbol-name major-mode)) seen)
    (flymake-start)
    (wait-for "diagnostics" #'flymake-diagnostics)
    (push (cons 'diagnostics (vconcat (mapcar #'vconcat (findings)))) seen)

    (go-to "gust -> beat")
    (let (hover)
      (eglot-hover-eldoc-function (lambda (text &rest _) (setq hover text)))
      (wait-for "hover" (lambda () hover))
      (push (cons 'hover (substring-no-properties hover)) seen))

    (end-of-line)
    (insert " ")
    (pcase-let ((`(,start ,end ,table . ,_) (eglot-completion-at-point)))
      (push (cons 'completion
                  (vconcat (all-completions (buffer-substring start end) table)))
            seen))
    (delete-char -1)

    (go-to "BEAT")
    (let ((fixes (eglot-code-actions (point) (+ (point) 4) "quickfix")))
      (eglot-execute (eglot-current-server)
                     (seq-find (lambda (fix) (equal (plist-get fix :title) "Write 'BEAT'"))
                               fixes)))
    (go-to "gust -> beat")
    (eglot-rename "blow")
    (eglot-format-buffer)
    (wait-for "no diagnostics" (lambda () (not (flymake-diagnostics))))
    (push (cons 'text (buffer-substring-no-properties (progn (go-to "check") (point))
                                                      (progn (go-to "\n\n[stop") (point))))
          seen)
    (with-temp-file "seen.json" (insert (json-serialize seen)))))

(use-server)
