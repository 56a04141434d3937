import sys

from standalone.cli import main

sys.exit(main())
