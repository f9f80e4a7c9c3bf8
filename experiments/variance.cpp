namespace rfbench {}
