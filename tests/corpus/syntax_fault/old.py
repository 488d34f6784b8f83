print "savegen is not named in code that runs, but it might be"
